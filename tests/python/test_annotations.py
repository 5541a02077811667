#!/usr/bin/env python3
"""Reads the program's annotation files by wfdb.rdann: beats and their classes must be those of beats.csv, every episode
must begin with a rhythm change of its name, and shutdown must have a start and an end."""
import csv
import os
import random
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
        """Checks the episodes. If several begin at one sample, only the shortest is marked. Returns their labels.

        Couplets and pauses within atrial fibrillation are notes, and no change of rhythm."""
        shortest, table = {}, rows(folder / "episodes.csv")
        spans = [(int(row["start_sample"]), int(row["end_sample"])) for row in table if row["label"] in ("AFIB", "AFL")]
        for row in table:
            start, end = int(row["start_sample"]), int(row["end_sample"])
            if row["label"] in ("V2", "PAUSE") and any(start < other[1] and end > other[0] for other in spans):
                self.assertNotEqual(changes.get(start), f"({row['label']}")
                continue
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
            self.assertEqual({marks.aux_note[i] for i in beats}, {""})  # epicmp would take numbers for ST levels
            self.assert_episodes(folder, changes)
            self.assert_rates(marks, beats)

    def assert_rates(self, marks, beats):
        """Checks that a heart rate follows the last beat of each ten seconds."""
        samples = [int(marks.sample[i]) for i in beats]
        rates = [i for i, symbol in enumerate(marks.symbol) if symbol == "="]
        self.assertGreater(len(rates), 30)
        for i in rates:
            self.assertIn(int(marks.sample[i]) - 1, samples)
            window = (int(marks.sample[i]) - 1) // 3600
            own = [b - a for a, b in zip(samples, samples[1:]) if b // 3600 == window]
            self.assertAlmostEqual(float(marks.aux_note[i]), 60 * 360 * len(own) / sum(own), delta=0.051)

    def test_shutdown(self):
        """Two minutes of noise between beats: `~` of subtype -1 and 0 in turn, around all of the NOISE episodes."""
        with tempfile.TemporaryDirectory() as work:
            folder = Path(work) / "out"
            values = (ROOT / "data/mitdb_205.csv").read_text().split("\n")[:60 * 360]
            random.seed(1)
            noisy = [str(round(random.uniform(-2, 2), 3)) for _ in range(60 * 360)]
            (Path(work) / "noisy.csv").write_text("\n".join(values + noisy + values[1:]) + "\n")
            beatscan("run", Path(work) / "noisy.csv", "--rate", 360, "--device", "cpu", "--no-report", "--model", "none",
                     "--out", folder)
            marks = wfdb.rdann(str(folder / "noisy"), "vae")
            found = [(int(s), int(t)) for s, symbol, t in zip(marks.sample, marks.symbol, marks.subtype) if symbol == "~"]
            shut = sum(end - start for (start, _), (end, _) in zip(found[::2], found[1::2]))
            self.assertEqual([t for _, t in found], [-1, 0] * (len(found) // 2))
            spans = [(int(row["start_sample"]), int(row["end_sample"])) for row in rows(folder / "episodes.csv")
                     if row["label"] == "NOISE"]
            self.assertGreater(shut, 30 * 360)
            self.assertEqual(shut, sum(end - start for start, end in spans))

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
