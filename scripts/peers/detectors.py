#!/usr/bin/env python3
"""Beat detection by other tools and by beatscan, on the same WFDB records in the same run, matched by the same code.

It prints JSON on stdout and a table on stderr: gross counts at 150 and 50 ms (see scripts/evaluate_mitdb) and seconds a
record. "offset" is the median of detected minus reference.

A peer gets the signal of one lead in memory, and only its detection is timed. beatscan's time is that of a
whole process on a CSV file, with a training of one epoch and all outputs; in brackets is the time of the stages that
find beats. A record that a tool fails on counts as one without a beat found. A peer that is not installed gets a line
in the output. To install them:

  python3 -m venv .deps/evaluation && .deps/evaluation/bin/pip install -r scripts/evaluation/requirements.txt
  .deps/evaluation/bin/python scripts/peers/detectors.py FOLDER
"""
import argparse
import contextlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from evaluation import program, records, report  # noqa: E402
from evaluation.detection import counts_as_json, counts_of, gross, match, tolerance_in_samples  # noqa: E402

FINDING = ("detect", "filter", "segment")  # stages of beatscan that find beats, by either method


# A peer returns its version, and a function that finds the beats of a (record, signal). None of the peers takes missing
# samples, so straight lines bridge the gaps of the signal, as in beatscan.

def xqrs(_):
    from wfdb.processing import xqrs_detect

    return version("wfdb"), lambda record, signal: xqrs_detect(signal, record.rate, verbose=False)


def sleepecg(_):
    from sleepecg import detect_heartbeats

    return version("sleepecg"), lambda record, signal: detect_heartbeats(signal, record.rate)


def neurokit(method):
    """The signal is cleaned by the filter that belongs to the method, as in NeuroKit2's own ecg_process."""
    def peer(_):
        import neurokit2

        def detect(record, signal):
            clean = neurokit2.ecg_clean(signal, sampling_rate=record.rate, method=method)
            return neurokit2.ecg_peaks(clean, sampling_rate=record.rate, method=method)[1]["ECG_R_Peaks"]

        return version("neurokit2"), detect

    return peer


def gqrs(options):
    """A C program of the WFDB software package (https://physionet.org/content/wfdb), which is not on PyPI. It must be
    built from source, and is used if it is on the PATH. It reads the record's own files and writes annotations."""
    import wfdb

    path = shutil.which("gqrs")
    if path is None:
        raise ModuleNotFoundError(name="the program gqrs (WFDB software package)")

    def detect(record, _):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([path, "-r", record.name, "-s", str(options.lead)], cwd=folder, check=True,
                           capture_output=True, env={**os.environ, "WFDB": str(options.folder.resolve())})
            found = wfdb.rdann(str(Path(folder) / record.name), "qrs")
        return found.sample[np.isin(found.symbol, list(records.CLASS_OF))]

    return "on PATH", detect


PEERS = {"XQRS (wfdb)": xqrs, "GQRS (WFDB package)": gqrs, "sleepecg": sleepecg,
         "NeuroKit2 neurokit": neurokit("neurokit"), "NeuroKit2 kalidas2017": neurokit("kalidas2017"),
         "NeuroKit2 pantompkins1985": neurokit("pantompkins1985")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="with RECORD.hea, RECORD.dat, RECORD.atr")
    parser.add_argument("--records", help="names with commas between (all of the folder)")
    parser.add_argument("--lead", type=int, default=0, help="position of the signal, from 0")
    program.add_arguments(parser)
    options = parser.parse_args()
    options.names = options.records.split(",") if options.records else records.names_in(options.folder)
    if not options.names:
        parser.error(f"no records with annotations in {options.folder}")
    return options


def median_offset_ms(recordings, beats):
    """Returns the median offset of the pairs within 150 ms. Tools mark different points of a beat, which alone can
    cause a loss at 50 ms."""
    offsets = []
    for record in recordings:
        found = beats[record.name]
        matched = match(record.samples, found, tolerance_in_samples(150, record.rate))
        offsets.append((found[matched[matched >= 0]] - record.samples[matched >= 0]) * (1000 / record.rate))
    offsets = np.concatenate(offsets)
    return float(np.median(offsets)) if len(offsets) else None


def row_of(tool, tool_version, recordings, beats, seconds, failed, finding=None):
    counts = {record.name: counts_of(record, beats[record.name]) for record in recordings}
    row = {"tool": tool, "version": tool_version, "seconds": seconds, "median_s": statistics.median(seconds.values()),
           "total_s": sum(seconds.values()), "failed": failed, "counts": counts, "gross": gross(counts.values()),
           "median_offset_ms": median_offset_ms(recordings, beats)}
    if finding:
        row |= {"finding_s": finding, "median_finding_s": statistics.median(finding.values())}
    return row


def run_peer(tool, peer, options, recordings):
    tool_version, detect = peer(options)
    with contextlib.suppress(Exception):  # the first call, which compiles and loads, is not timed
        detect(recordings[0], records.bridged(recordings[0].signal).astype(np.float64))
    beats, seconds, failed = {}, {}, {}
    for record in recordings:
        signal = records.bridged(record.signal).astype(np.float64)
        start = time.perf_counter()
        try:
            found = detect(record, signal)
        except Exception as error:  # the record counts as one without beats, and the table says so
            found, failed[record.name] = [], f"{type(error).__name__}: {error}"
        seconds[record.name] = time.perf_counter() - start
        beats[record.name] = np.sort(np.asarray(found, dtype=np.float64)).astype(np.int64)
    return row_of(tool, tool_version, recordings, beats, seconds, failed)


def finding_seconds(folder):
    stages = json.loads((folder / "summary.json").read_text())["run"]["stages"]
    return sum(stage["seconds"] for stage in stages if stage["name"] in FINDING)


def run_beatscan(options, recordings):
    """Runs a process for each record, so that each has its own time."""
    runner, beats, seconds, finding, failed = program.Program(options, [program.SHORTEST_TRAINING]), {}, {}, {}, {}
    with tempfile.TemporaryDirectory(prefix="beatscan_detectors_") as name:
        for record in recordings:
            signal, out = Path(name) / f"{record.name}.csv", Path(name) / record.name
            records.write_signal(record, signal)
            seconds[record.name] = runner.run([signal], record.rate, 1, out)
            found = program.read_beats(out)
            if found is None:
                failed[record.name] = "beatscan run failed"
            else:
                finding[record.name] = finding_seconds(out)
            beats[record.name] = np.empty(0, dtype=np.int64) if found is None else found["sample"]
    return row_of("beatscan", runner.version().split()[-1], recordings, beats, seconds, failed, finding)


def rows_of_peers(options, recordings, skipped):
    rows = []
    for tool, peer in PEERS.items():
        try:
            rows.append(run_peer(tool, peer, options, recordings))
        except ModuleNotFoundError as error:
            skipped.append({"tool": tool, "reason": f"{error.name} is not installed"})
        except Exception as error:  # an error of one peer must not end the others
            skipped.append({"tool": tool, "reason": f"{type(error).__name__}: {error}"})
    return rows


def table(rows, skipped, flutter):
    lines = []
    for row in rows:
        all_beats, *without_flutter = report.detection_rows(row["tool"], row["gross"], flutter)
        found = f" ({row['median_finding_s']:.3f})" if "median_finding_s" in row else ""
        lines.append([all_beats[0], row["version"], *all_beats[1:], report.number(row["median_offset_ms"], 1),
                      f"{row['median_s']:.3f}{found}", f"{row['total_s']:.1f}", str(len(row["failed"]))])
        lines += [[cells[0], "", *cells[1:], "", "", "", ""] for cells in without_flutter]
    header = ["tool", "version", *report.DETECTION_HEADER, "offset ms", "median s", "sum s", "failed"]
    return "\n".join([report.table(header, lines), *(f"{row['tool']}: {row['reason']}" for row in skipped)])


def as_json(row):
    return {**row, "gross": counts_as_json(row["gross"]),
            "counts": {name: counts_as_json(counts) for name, counts in row["counts"].items()}}


def main():
    warnings.filterwarnings("ignore")  # the peers' warnings would be a line a record
    options, skipped = arguments(), []
    load = os.getloadavg()[0]  # other work on the machine would distort the times
    recordings = [records.read(options.folder, name, options.lead) for name in options.names]
    rows = [*rows_of_peers(options, recordings, skipped), run_beatscan(options, recordings)]
    environment = {"python": platform.python_version(), "cpu_threads": os.cpu_count(), "load_average_before": load,
                   "numpy": np.__version__}
    json.dump({"records": options.names, "lead": options.lead, "tools": [as_json(row) for row in rows],
               "skipped": skipped, "environment": environment}, sys.stdout, indent=1)
    print()
    print(table(rows, skipped, any(record.flutter for record in recordings)), file=sys.stderr)


if __name__ == "__main__":
    main()
