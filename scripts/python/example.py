#!/usr/bin/env python3
"""Finds and ranks beats on a PyTorch tensor with beatscan's operators.

usage: example.py [--device cpu|cuda] [MODEL.safetensors]

Without a model (written by `beatscan run`), the program first trains one on data/.
"""
import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import torch

import beatscan

ROOT = Path(__file__).resolve().parents[2]
RECORDING, RATE_HZ = ROOT / "data" / "mitdb_205.csv", 360.0


def read_signal(device):
    with open(RECORDING, newline="") as file:
        values = [float(row[0]) for row in list(csv.reader(file))[1:]]
    return torch.tensor(values, device=device)


def train_model(folder):
    subprocess.run([beatscan.program.path(), "run", RECORDING, "--rate", str(RATE_HZ), "--out", folder, "-q"], check=True,
                   stdout=subprocess.DEVNULL)
    return Path(folder) / "model.safetensors"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    ops = beatscan.operators.load()
    x = read_signal(options.device)
    print(f"signal      {len(x)} samples on {x.device}, read where they are ({x.data_ptr():#x})")

    response = ops.ricker_response(x, RATE_HZ)
    print(f"response    {response.dtype} {tuple(response.shape)}, largest {response.max():.3f}")

    r_peaks, quality, blocks = ops.find_beats(x, RATE_HZ)
    print(f"beats       {len(r_peaks)}, the first at samples {[round(v, 2) for v in r_peaks[:4].tolist()]}")
    counts = quality.bincount(minlength=len(beatscan.operators.QUALITY)).tolist()
    print("quality     " + ", ".join(f"{n} {name}" for n, name in zip(counts, beatscan.operators.QUALITY) if n))

    rows, beats, reference = ops.embed_beats(x, r_peaks, RATE_HZ, blocks)
    beat = reference[0] + reference[1] * rows[100]
    print(f"rows        {tuple(rows.shape)}; beat {beats[100]} spans {beat.max() - beat.min():.3f} of the input's unit")

    waves = ops.delineate(x, r_peaks, RATE_HZ, blocks)
    medians = waves["intervals"].nanmedian(0).values.tolist()
    print("waves       " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in zip(("PR", "QRS", "QT", "QTc"), medians)) + " (medians)")

    with tempfile.TemporaryDirectory() as folder:
        model = options.model or train_model(f"{folder}/result")
        print(f"model       {options.model or 'trained on ' + RECORDING.name}")
        scores = ops.score(x, RATE_HZ, str(model))
    print(f"columns     {', '.join(scores)}")
    order = scores["score"].nan_to_num(-torch.inf).argsort(descending=True)
    print(f"abnormal    {int(scores['anomalous'].sum())} of {len(order)}; the most abnormal:")
    for beat in order[:5].tolist():
        print(f"            {scores['r_peak'][beat] / RATE_HZ:9.3f} s   score {scores['score'][beat]:6.2f}"
              f"   (waveform {scores['waveform_score'][beat]:.2f}, rhythm {scores['rhythm_score'][beat]:.2f})")


if __name__ == "__main__":
    main()
