"""Runs beatscan on records and reads its results."""
import csv
import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from evaluation import records

ROOT = Path(__file__).resolve().parents[2]
# Columns of beats.csv that are read besides `sample`, if a result has them.
NUMBERS, WORDS = ("score", "baseline_score", "rhythm_score", "kept", "anomalous"), ("quality",)
SHORTEST_TRAINING = "vae.epochs=1"  # for runs of which only the detection is evaluated
# Exit statuses after which the other recordings of a batch have their results: done, an input that cannot be read, a
# recording that cannot be analysed, part of a batch failed.
GOES_ON = (0, 3, 4, 7)


def add_arguments(parser):
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "beatscan", help="(build/beatscan)")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda")
    parser.add_argument("--config", help="configuration file or name")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one option; repeatable")


class Program:
    def __init__(self, options, settings=(), extra=()):
        """settings: KEY=VALUE; the user's settings take precedence. extra: further options of the command line."""
        if not options.program.exists():
            sys.exit(f"no program {options.program}: build it (scripts/setup), or name it with --program")
        self.path = str(options.program)
        self.options = ["--device", options.device, "-q", *extra]
        self.options += ["--config", options.config] if options.config else []
        for setting in [*settings, *options.set]:
            self.options += ["--set", setting]

    def version(self):
        return subprocess.run([self.path, "--version"], check=True, capture_output=True, text=True).stdout.strip()

    def run(self, inputs, rate, seed, out):
        """Runs the program and returns its duration in seconds. The result of one input is `out`; several inputs get a
        folder each in `out`, named after their stems. rate: None if the recordings specify it. seed: None for the
        configuration's."""
        start = time.perf_counter()
        given = (["--rate", repr(rate)] if rate else []) + (["--seed", str(seed)] if seed is not None else [])
        done = subprocess.run([self.path, "run", *map(str, inputs), *given, "--out", str(out), *self.options],
                              capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if done.returncode not in GOES_ON:
            sys.exit(f"{self.path} run: exit status {done.returncode}\n{done.stderr.strip()}")
        if done.returncode:
            print(*(line for line in done.stderr.splitlines() if line.startswith("error")), sep="\n", file=sys.stderr)
        return seconds

    def evaluate(self, folder, truth):
        done = subprocess.run([self.path, "evaluate", str(folder), "--truth", str(truth)], check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)


def numbers(rows, column):
    """Returns a column as float64, with NaN for an empty cell."""
    return np.array([float(row[column]) if row[column] else np.nan for row in rows], dtype=np.float64)


def read_beats(folder):
    """Returns {column: values} in time order, or None for a recording that failed."""
    path = folder / "beats.csv"
    if not path.exists():
        return None
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        rows = sorted(reader, key=lambda row: int(row["sample"]))
        present = set(reader.fieldnames)
    beats = {"sample": np.array([int(row["sample"]) for row in rows], dtype=np.int64)}
    beats |= {column: numbers(rows, column) for column in NUMBERS if column in present}
    return beats | {column: np.array([row[column] for row in rows], dtype=str) for column in WORDS if column in present}


def no_beats(like):
    return {column: np.empty(0, dtype=values.dtype) for column, values in like.items()}


class Inputs:
    """Records as files in a folder, and the runs over them."""

    def __init__(self, source, names, lead, change, folder):
        """Writes the files. The signals are not kept, because a database at 1000 Hz may not fit into memory."""
        self.folder, self.records = folder, []
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            record = records.changed(records.read(source, name, lead), change)
            records.write_signal(record, self.signal_of(record))
            records.write_truth(record, self.truth_of(record))
            self.records.append(replace(record, signal=None))

    def remove(self):
        shutil.rmtree(self.folder)

    def signal_of(self, record):
        return self.folder / f"{record.name}.csv"

    def truth_of(self, record):
        return self.folder / f"{record.name}.truth.csv"

    def result_of(self, record, seed):
        return self.folder / f"seed_{seed}" / f"{record.rate:g}_Hz" / record.name

    def run(self, program, seed):
        """Runs all records, those of one rate in one process. Returns the beats by record's name, and the names of the
        records that failed, which count as recordings without a beat."""
        for rate in sorted({record.rate for record in self.records}):
            batch = [record for record in self.records if record.rate == rate]
            out = self.result_of(batch[0], seed)
            program.run(map(self.signal_of, batch), rate, seed, out if len(batch) == 1 else out.parent)
        beats = {record.name: read_beats(self.result_of(record, seed)) for record in self.records}
        failed = [name for name, found in beats.items() if found is None]
        if len(failed) == len(beats):
            sys.exit("every recording failed")
        like = next(found for found in beats.values() if found is not None)
        return {name: no_beats(like) if found is None else found for name, found in beats.items()}, failed
