#!/usr/bin/env python3
"""Runs the program on the made-up ECGs of scenarios.json: nine in ten have to pass, and those that fail are listed.

An entry draws its ECG with the parts of golden/recordings.py and golden/synthetic_ecg.py: ["sinus", 12] is sinus(12),
["repeat", 6, PART...] is six times these parts, and a dictionary at the end holds keyword arguments. The defaults are
one lead II at 250 Hz. `expect` has the number of beats of a class with its tolerance, and the number of episodes of
each label that may occur; 0 allows any number.
"""
import collections
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/python")]
import suite  # noqa: E402

try:
    from golden import recordings, synthetic_ecg
except ModuleNotFoundError as error:
    suite.skip(f"needs {error.name}")

PROGRAM = pathlib.Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"
LEAST_SHARE = 0.9
LEAST_CONFIDENCE = 0.5  # an episode below it is not asserted by the program


def part(entry):
    """Returns the runs of a part of a rhythm."""
    name, *given = entry
    if name == "repeat":
        return given[0] * tuple(run for each in given[1:] for run in part(each))
    words = given.pop() if isinstance(given[-1:] and given[-1], dict) else {}
    if name == "Run":
        shape, rr_s, count = given
        return (synthetic_ecg.Run(shape, rr_s, count=count, **words),)
    if name == "VentricularFibrillation":
        return (synthetic_ecg.VentricularFibrillation(*given),)
    return getattr(recordings, name)(*given, **words)


def seconds_of(run):
    if isinstance(run, synthetic_ecg.VentricularFibrillation):
        return run.seconds
    return run.seconds or run.count * run.rr_s + (run.first_s - run.rr_s if run.first_s else 0)


def recording_of(entry):
    rhythm = tuple(run for each in entry["rhythm"] for run in part(each))
    disturbances = tuple(getattr(synthetic_ecg, name)(*map(lambda x: tuple(x) if isinstance(x, list) else x, given))
                         for name, *given in entry.get("disturbances", []))
    return recordings.Recording(
        entry["name"].replace(" ", "_").replace(",", ""), "", entry.get("rate_hz", 250),
        round(sum(map(seconds_of, rhythm)), 1), rhythm, tuple(entry.get("leads", ["II"])), disturbances,
        entry.get("gains", {}), entry.get("spike_mv", 0.0),
        tuple(run for each in entry.get("second_rhythm", []) for run in part(each)))


def faults(entry):
    """Returns what differs from what is expected: a list of texts."""
    with tempfile.TemporaryDirectory(prefix="beatscan-scenario-") as folder:
        file, out = recordings.write(recording_of(entry), folder), pathlib.Path(folder) / "result"
        done = subprocess.run([str(PROGRAM), "run", str(file), "--out", str(out), "--threads", "1", "--device", "cpu",
                               "-q", "--report", "none"], capture_output=True, text=True, check=False)
        if done.returncode:
            return [done.stderr.strip().splitlines()[-1]]
        with open(out / "beats.csv", newline="") as text:
            classes = collections.Counter(row["beat_class"] for row in csv.DictReader(text))
        with open(out / "episodes.csv", newline="") as text:
            rows = [row for row in csv.DictReader(text) if float(row["confidence"] or 1) >= LEAST_CONFIDENCE]
    labels, expect = collections.Counter(row["label"] for row in rows), entry["expect"]
    found = [f"{letter} {classes[letter]} instead of {number}" + (f" ± {by}" if by else "")
             for letter, (number, by) in ((k, v) for k, v in expect.items() if k != "episodes")
             if abs(classes[letter] - number) > by]
    wanted = expect["episodes"]
    return found + [f"{label} {labels[label]} instead of {wanted.get(label, 0)}" for label in sorted(labels | wanted)
                    if wanted.get(label) != 0 and labels[label] != wanted.get(label, 0)]


class Scenarios(unittest.TestCase):
    def test_nine_in_ten_pass(self):
        entries = json.loads((pathlib.Path(__file__).parent / "scenarios.json").read_text())
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = {entry["name"]: of for entry, of in zip(entries, pool.map(faults, entries)) if of}
        for name, of in failed.items():
            print(f"{name}: {', '.join(of)}")
        print(f"{len(entries) - len(failed)} of {len(entries)} scenarios pass")
        self.assertGreaterEqual(len(entries) - len(failed), LEAST_SHARE * len(entries))


if __name__ == "__main__":
    suite.main()
