"""Detects the beats of whole sets, by variants of beatscan and by other tools, and caches the results.

The cache has one file for a set and a detector, named after a hash of everything it depends on: the program with
its libraries or the tool's version, the signals, and the settings. So nothing is run twice.
"""
import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation import program, records

THREADS = ("--threads", "1")  # minimises the effect of other work on the machine; the results are the same


@dataclass(frozen=True)
class Variant:
    name: str
    program: Path
    settings: tuple  # KEY=VALUE


@dataclass(frozen=True)
class Outcome:
    beats: dict  # {record's name: {column: values}}; no beats if the recording was refused
    refused: list  # names
    seconds: float  # of the run, whenever it was


def variant_of(words, common, default_program):
    """Returns the variant of a command-line argument: NAME KEY=VALUE... The key `program` names another program."""
    name, *settings = words
    if "=" in name or not all(re.fullmatch(r"[\w.]+=.*", setting) for setting in settings):
        raise ValueError(f"--variant {' '.join(words)}: give a name, then KEY=VALUE")
    programs = [Path(setting.split("=", 1)[1]) for setting in settings if setting.startswith("program=")]
    path = programs[-1] if programs else default_program
    if not path.is_file():
        raise ValueError(f"no program {path}: build it (scripts/setup), or name it with --program")
    return Variant(name, path, (*common, *(setting for setting in settings if not setting.startswith("program="))))


def program_hash(path):
    """Returns a hash of the program and of its libraries, which contain most of the code."""
    linked = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
    linked = [Path(found) for found in re.findall(r"=> (\S*libbeatscan\S*)", linked)]
    folders = {path.resolve().parent, *(library.resolve().parent for library in linked)}
    libraries = {library.resolve() for folder in folders for library in folder.glob("libbeatscan*.so")}
    digest = hashlib.sha256(path.read_bytes())
    for library in sorted(libraries, key=lambda library: library.name):
        digest.update(hashlib.sha256(library.read_bytes()).digest())
    return digest.hexdigest()


class Finders:
    def __init__(self, cache, device, config):
        """cache: folder of cached results, which need not exist."""
        self.cache, self.device, self.config = cache, device, config
        self.hashes = {}

    def of_variant(self, variant, record_set):
        # A set without abnormal beats needs no score, and training takes most of the time.
        settings = (*(() if record_set.is_ranked else (program.SHORTEST_TRAINING,)), *variant.settings)
        if variant.program not in self.hashes:
            self.hashes[variant.program] = program_hash(variant.program)
        config = Path(self.config).read_text() if self.config and Path(self.config).is_file() else self.config
        key = [self.hashes[variant.program], record_set.hash, settings, self.device, config]
        return self._kept(record_set, variant.name, key,
                          lambda: run_program(variant.program, settings, self.device, self.config, record_set))

    def of_peer(self, tool, peer, record_set):
        """peer: as in scripts/peers/detectors.py. Raises ModuleNotFoundError if it is not installed."""
        options = argparse.Namespace(folder=record_set.folder, lead=0)
        version, detect = peer(options)
        return self._kept(record_set, tool, [tool, version, np.__version__, record_set.hash],
                          lambda: run_peer(detect, record_set))

    def _kept(self, record_set, finder, key, find):
        digest = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:24]
        path = self.cache / f"{record_set.name}-{digest}.npz"
        if not path.exists():
            outcome = find()
            print(f"{finder}, {record_set.name}: {len(outcome.beats)} records in {outcome.seconds:.0f} s",
                  file=sys.stderr, flush=True)
            write(path, outcome)
        return read(path)


def write(path, outcome):
    path.parent.mkdir(parents=True, exist_ok=True)
    about = json.dumps({"names": list(outcome.beats), "refused": outcome.refused, "seconds": outcome.seconds})
    arrays = {f"{name}/{column}": values for name, beats in outcome.beats.items() for column, values in beats.items()}
    partial = path.with_suffix(".part")
    with partial.open("wb") as file:
        np.savez_compressed(file, **{"/about": np.array(about)}, **arrays)
    partial.replace(path)  # atomic output


def read(path):
    with np.load(path) as arrays:
        about = json.loads(str(arrays["/about"]))
        beats = {name: {} for name in about["names"]}
        for key in arrays.files:
            name, _, column = key.partition("/")
            if name:
                beats[name][column] = arrays[key]
    return Outcome(beats, about["refused"], about["seconds"])


def run_program(path, settings, device, config, record_set):
    """Runs all records of a set in one process. beatscan reads the records' own files, with all their leads."""
    options = argparse.Namespace(program=path, device=device, config=config, set=[])
    runner = program.Program(options, settings, [*THREADS, "--no-report"])
    with tempfile.TemporaryDirectory(prefix="beatscan_evaluation_") as folder:
        out = Path(folder) / "out"
        single = len(record_set.names) == 1
        # A batch is at least two inputs, and its results lie in folders.
        seconds = runner.run([record_set.folder / name for name in record_set.names], None, None, out)
        found = {name: program.read_beats(out if single else out / name) for name in record_set.names}
    refused = [name for name, beats in found.items() if beats is None]
    like = next((beats for beats in found.values() if beats is not None), {"sample": np.empty(0, dtype=np.int64)})
    return Outcome({name: program.no_beats(like) if beats is None else beats for name, beats in found.items()},
                   refused, seconds)


def run_peer(detect, record_set):
    """Runs another tool on the first lead of each record, with straight lines in place of missing samples."""
    beats, refused, start = {}, [], time.perf_counter()
    for record in record_set.records:
        signal = records.bridged(records.read_signal(record_set.folder, record.name)).astype(np.float64)
        try:
            found = detect(record, signal)
        except Exception as error:  # the record counts as one without beats, and the tables say so
            print(f"{record_set.name}/{record.name}: {type(error).__name__}: {error}", file=sys.stderr)
            found = []
            refused.append(record.name)
        beats[record.name] = {"sample": np.sort(np.asarray(found, dtype=np.float64)).astype(np.int64)}
    return Outcome(beats, refused, time.perf_counter() - start)
