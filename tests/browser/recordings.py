"""Recordings for the checks of report pages, made of data/ and of generated ECG."""

import csv
import math
import pathlib
import random

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"


def samples():
    with open(DATA / "mitdb_205.csv") as file:
        return [float(line) for line in file.readlines()[1:]]


def write_columns(path, names, rows):
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        file.writelines(",".join(f"{value:.4f}" for value in row) + "\n" for row in rows)


def twelve_leads(path):
    """Ten seconds with a run of V beats in twelve leads, which are one lead and its slopes, weighted."""
    first = 1455 * 360
    signal = samples()[first - 1:first + 3600]
    weights = {"I": (0.6, 2), "II": (1, 0), "III": (0.4, -2), "aVR": (-0.8, -1), "aVL": (0.1, 2), "aVF": (0.7, -1),
               "V1": (-0.3, 4), "V2": (-0.1, 5), "V3": (0.3, 3), "V4": (0.8, 2), "V5": (0.9, 1), "V6": (0.8, 0.5)}
    rows = ([a * now + b * (now - before) for a, b in weights.values()] for before, now in zip(signal, signal[1:]))
    write_columns(path, weights, rows)


def fibrillation(path):
    """Three minutes of one normal beat without its P wave at intervals without any pattern, with fibrillatory waves."""
    with open(DATA / "mitdb_205.truth.csv") as file:
        normal = [int(row["sample"]) for row in csv.DictReader(file) if row["symbol"] == "N"]
    signal, draw = samples(), random.Random(5)
    beat = signal[normal[10] - 25:normal[10] + 120]
    base = [beat[0] + (beat[-1] - beat[0]) * i / (len(beat) - 1) for i in range(len(beat))]
    made = [0.05 * math.sin(36 * i / 360 + 2 * math.sin(3 * i / 360)) + draw.gauss(0, 0.004) for i in range(180 * 360)]
    at = 100
    while at + 200 < len(made):
        for i, (value, below) in enumerate(zip(beat, base)):
            made[at + i] += value - below
        at += draw.randrange(185, 400)
    write_columns(path, ["II"], ([value] for value in made))


def with_a_gap(generated, path):
    """A copy of a generated recording at 250 Hz without the values from 60 to 66 s."""
    with open(generated) as file, open(path, "w") as copy:
        for row, line in enumerate(file, -1):
            copy.write("nan\n" if 15_000 <= row < 16_500 else line)
