#!/usr/bin/env python3
"""Times other tools on three of beatscan's steps (ingest, filter, train), on the same file on this machine.

Prints JSON on stdout and a table on stderr. A line lists the tools that were skipped because they are not installed or
cannot run here. Every tool is warmed up once, so that the file is in the page cache, and its result is checked.
"""
import argparse
import json
import os
import platform
import sys
from pathlib import Path

import timing


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", help="CSV with one header line and one column `heartbeats`")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--rows", type=int, help="rows to train on (those of FILE in --beside, else 86586)")
    parser.add_argument("--beside", metavar="FILE", help="output of `beatscan bench` on the same input, for the table")
    parser.add_argument("--compile", action="store_true", help="train with torch.compile too (compiling takes long)")
    parser.add_argument("--dataloader", action="store_true", help="train with a DataLoader too (slow)")
    options = parser.parse_args()
    if options.repetitions < 1 or (options.rows is not None and options.rows < 1):
        parser.error("--repetitions and --rows must be at least 1")
    if not os.path.isfile(options.input):
        parser.error(f"no such file: {options.input}")
    return options


class Report:
    def __init__(self):
        self.peers, self.skipped, self.warnings = [], [], []

    def skip(self, step, tool, reason):
        self.skipped.append({"step": step, "tool": tool, "reason": reason})
        print(f"skipped: {step}, {tool}: {reason}", file=sys.stderr)

    def warn(self, text):
        self.warnings.append(text)
        print(f"warning: {text}", file=sys.stderr)

    def attempt(self, step, tool, run, *given, **also):
        """Calls run(*given) and adds its row to the report, together with `also`. Returns the other results of run, or
        None if it could not run. A failure of one tool must not end the others."""
        try:
            result = run(*given)
        except ModuleNotFoundError as error:
            return self.skip(step, tool, f"{error.name} is not installed")
        except Exception as error:
            return self.skip(step, tool, next(iter(str(error).splitlines()), "") or type(error).__name__)
        row, more = result if isinstance(result, tuple) else (result, True)
        self.peers.append({"step": step, "tool": tool + row.pop("where", ""), **also, **row})
        return more

    def of(self, step):
        return [row for row in self.peers if row["step"] == step]


def run_peers(options, rows, report):
    try:
        import filters
        import ingest
        import training
    except ModuleNotFoundError as error:  # numpy, which all of them need
        return report.skip("all", "every tool", f"{error.name} is not installed")
    signal = None
    for tool, peer in ingest.PEERS.items():
        values = report.attempt("ingest", tool, ingest.run, peer, options.input, options.repetitions)
        if signal is None and values is not None:
            signal = values.copy()  # writable, as PyTorch wants it
        del values
    if signal is None:
        signal = ingest.read_untimed(options.input)
    report.attempt("copy", "PyTorch, host to GPU", ingest.run_copy, signal, options.repetitions)
    for tool, peer in filters.PEERS.items():
        for precision in filters.PRECISIONS:
            report.attempt("filter", f"{tool}, {precision}", filters.run, peer, signal, precision, options.repetitions,
                           precision=precision)
    for tool, peer in training.PEERS.items():
        wanted = {training.compiled: options.compile, training.data_loader: options.dataloader}.get(peer, True)
        if wanted:  # a DataLoader's epochs are long and alike: one repetition
            repetitions = 1 if peer is training.data_loader else options.repetitions
            report.attempt("train", tool, training.run, peer, rows, repetitions)
    for text in (ingest.disagreements(report.of("ingest"), signal) + filters.disagreements(report.of("filter"))
                 + training.disagreements(report.of("train"))):
        report.warn(text)


def rows_of_beatscan(bench):
    """Returns the rows of the stages that peers also have, from the output of `beatscan bench`."""
    def tool(step):
        precision = f", {bench['config']['filter']['precision']}" if step == "filter" else ""
        return f"beatscan on {bench['environment']['device']}{precision}"

    return [{"step": stage["name"], "tool": tool(stage["name"]),
             "version": bench["environment"]["beatscan"], "repetitions": bench["repetitions"],
             **{key: stage[key] for key in ("median_s", "min_s", "max_s")}}
            for stage in bench["stages"] if stage["name"] in ("ingest", "filter", "train")]


def table(rows):
    lines = [f"{'step':7} {'tool':42} {'version':24} {'median ms':>10} {'min':>10} {'max':>10}  runs"]
    for row in sorted(rows, key=lambda row: ["ingest", "copy", "filter", "train"].index(row["step"])):
        ms = " ".join(f"{1e3 * row[key]:10.2f}" for key in ("median_s", "min_s", "max_s"))
        note = f"  ({row['note']})" if "note" in row else ""
        lines.append(f"{row['step']:7} {row['tool']:42} {row['version']:24} {ms} {row['repetitions']:5}{note}")
    return "\n".join(lines + ["copy: what pandas and pyarrow, which read into host memory, need on top to be on the GPU"])


def main():
    options, report = arguments(), Report()
    load = os.getloadavg()[0]  # other work on the machine would distort the times, especially PyTorch's on the CPU
    try:
        bench = json.loads(Path(options.beside).read_text()) if options.beside else None
        beatscan = rows_of_beatscan(bench) if bench else []
        kept = bench["check"]["kept"] if bench else 0
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"peers.py: {options.beside}: not the output of `beatscan bench`: {error}")
    # beatscan trains on three quarters of the kept beats (vae.train_fraction of the published configuration).
    rows = options.rows or (int(0.75 * kept) if bench else 86586)
    run_peers(options, rows, report)
    if bench:
        for row in report.of("ingest"):
            if row["samples"] != bench["input"]["samples"]:
                report.warn(f"{row['tool']} read {row['samples']} samples, beatscan {bench['input']['samples']}")
    environment = {"python": platform.python_version(), "cpu_threads": os.cpu_count(), "load_average_before": load,
                   "gpu": timing.gpu_name()}
    json.dump({"input": {"path": options.input, "bytes": os.path.getsize(options.input)}, "peers": report.peers,
               "skipped": report.skipped, "warnings": report.warnings, "environment": environment}, sys.stdout, indent=1)
    print()
    print(table(beatscan + report.peers), file=sys.stderr)


if __name__ == "__main__":
    main()
