#!/usr/bin/env python3
"""Reads the program's annotation files by wfdb.rdann: beats, their classes and their scores must be those of beats.csv,
and every episode must begin with a rhythm change of its name."""
import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import suite

try:
    import wfdb
except ImportError:
    suite.skip("needs wfdb")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"
AUX = {"SVT": "(SVTA"}  # the name in the MIT-BIH databases, if it differs


def beatscan(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments), "-q"], capture_output=True, text=True, check=True)


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Annotations(unittest.TestCase):
    def read_back(self, folder, record):
        """Returns the annotations, the indices of the beats among them, and the rhythm at each rhythm change."""
        marks = wfdb.rdann(str(folder / record), "vae")
        beats = [i for i, symbol in enumerate(marks.symbol) if symbol in "NSVFQ"]
        changes = {}
        for sample, symbol, aux in zip(marks.sample, marks.symbol, marks.aux_note):
            if symbol == "+":
                changes[int(sample)] = aux.rstrip("\0")
        return marks, beats, changes

    def assert_episodes(self, folder, changes):
        """Checks the episodes. If several begin at one sample, only the shortest is marked. Returns their labels."""
        shortest = {}
        for row in rows(folder / "episodes.csv"):
            start, end = int(row["start_sample"]), int(row["end_sample"])
            shortest[start] = min(shortest.get(start, (end, row["label"])), (end, row["label"]))
        self.assertTrue(shortest)
        for start, (_, label) in shortest.items():
            self.assertEqual(changes.get(start), AUX.get(label, f"({label}"), f"{label} at {start}")
        return {label for _, label in shortest.values()}

    def test_beats_and_episodes_of_a_signal(self):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "out"
            beatscan("run", ROOT / "data/mitdb_205.csv", "--rate", 360, "--device", "cpu", "--no-report", "--set",
                     "vae.epochs=1", "--out", folder)
            marks, beats, changes = self.read_back(folder, next(folder.glob("*.vae")).stem)
            table = rows(folder / "beats.csv")
            self.assertEqual([int(marks.sample[i]) for i in beats], [int(row["sample"]) for row in table])
            self.assertEqual([marks.symbol[i] for i in beats], [row["beat_class"] for row in table])
            self.assertEqual([marks.aux_note[i].rstrip("\0") for i in beats], [row["score"] for row in table])
            self.assert_episodes(folder, changes)

    def test_waves(self):
        """( p ), ( N ) and ( t ) ascend, and each is at the time in beats.csv, unless it meets another one."""
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "out"
            beatscan("run", ROOT / "data/mitdb_205.csv", "--rate", 360, "--device", "cpu", "--no-report", "--waves",
                     "--set", "vae.epochs=1", "--out", folder)
            marks = wfdb.rdann(str(folder / next(folder.glob("*.waves")).stem), "waves")
            self.assertEqual(marks.fs, 360)
            keep = [i for i, symbol in enumerate(marks.symbol) if symbol != '"']  # the note on the sampling rate
            samples, symbols, numbers = ([part[i] for i in keep] for part in (marks.sample, marks.symbol, marks.num))
            self.assertEqual(samples, sorted(samples))
            self.assertEqual(len(samples) % 3, 0)
            waves = {"p": [], "N": [], "t": []}
            for i in range(0, len(samples), 3):
                self.assertEqual((symbols[i], symbols[i + 2]), ("(", ")"))
                self.assertEqual(numbers[i:i + 3], [{"p": 0, "N": 1, "t": 2}[symbols[i + 1]], 0, numbers[i]])
                waves[symbols[i + 1]].append(samples[i:i + 3])
            meeting = set(samples[0::3]) & set(samples[2::3])
            self.assertLess(len(meeting), 100)
            table = rows(folder / "beats.csv")
            for symbol, columns in (("N", ("qrs_onset_s", None, "qrs_end_s")), ("t", (None, "t_peak_s", "t_end_s"))):
                found = [row for row in table if row[columns[2]]]
                self.assertEqual(len(found), len(waves[symbol]))
                for place in (0, 1, 2):
                    for row, wave in zip(found, waves[symbol]):
                        if columns[place] and wave[place] not in meeting:
                            self.assertAlmostEqual(float(row[columns[place]]) * 360, wave[place], delta=0.51)
            conducted = [float(row["p_peak_s"]) * 360 for row in table if row["p_peak_s"]]
            self.assertGreater(len(conducted), 1000)
            for peak in conducted:
                self.assertLessEqual(min(abs(peak - wave[1]) for wave in waves["p"]), 1)

    def test_episodes_of_a_list_of_beats(self):
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "out"
            beatscan("rhythm", ROOT / "tests/reference/expected/rhythm/beats.csv", "--rate", 250, "--out", folder)
            marks, beats, changes = self.read_back(folder, "beats")
            table = rows(ROOT / "tests/reference/expected/rhythm/beats.csv")
            self.assertEqual([(int(marks.sample[i]), marks.symbol[i]) for i in beats],
                             [(int(row["sample"]), row["symbol"]) for row in table])
            self.assertIn("AFIB", self.assert_episodes(folder, changes))


if __name__ == "__main__":
    suite.main()
