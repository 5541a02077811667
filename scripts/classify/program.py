"""Runs the program on records, and reads its beat tables."""
import csv
import json
import subprocess
import sys

import numpy as np

from classify import records

OPTIONS = ["--features", "--report", "none", "--set", "vae.epochs=1"]
KINDS = {"N": records.N, "S": records.S, "V": records.V}


def folder_of(out, record):
    return out / (record.set + ("-noisy" if record.noisy else "")) / record.name


def analyse(program, all_records, out, threads):
    """Runs the program on the records without a table. Omits those that it refuses."""
    kept = []
    for record in all_records:
        folder = folder_of(out, record)
        if not (folder / "features.npy").exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            ran = subprocess.run([str(program), "run", f"{record.path}.hea", "--out", str(folder), "--force", "-q",
                                  "--device", "cpu", "--threads", str(threads), *OPTIONS],
                                 capture_output=True, text=True)
            if ran.returncode:
                print(f"{record.set}/{record.name} is left out: {ran.stderr.strip()}", file=sys.stderr)
                continue
        kept.append(record)
    return kept


def read(out, record):
    """Adds the table, the R peaks and the reported classes to a record."""
    folder = folder_of(out, record)
    record.names = [column["name"] for column in json.loads((folder / "features.json").read_text())["columns"]]
    record.table = np.load(folder / "features.npy")
    with open(folder / "beats.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    record.peaks = np.array([int(row["sample"]) for row in rows])
    record.reported = np.array([KINDS.get(row["beat_class"], records.OTHER) for row in rows])
    record.unsupervised = np.array([float(row["score"]) - float(row["learned_score"]) if row["score"] else -np.inf
                                    for row in rows])
    records.label(record)
