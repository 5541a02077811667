"""Beat tables, posteriors of beat classes and episodes of records, as the program writes them."""
import csv
import json
import subprocess
import sys

import numpy as np

from classify.program import OPTIONS

POSTERIORS = ("p_n", "p_s", "p_v", "p_artifact")


def analyse(program, records, out, threads):
    """Runs the program on the records without a table. For one that it refuses, writes an empty marker."""
    for record in records:
        folder = out / record.set / record.name
        if (folder / "features.npy").exists() or (folder / "refused").exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        ran = subprocess.run([str(program), "run", f"{record.path}.hea", "--out", str(folder), "--force", "-q",
                              "--device", "cpu", "--threads", str(threads), *OPTIONS], capture_output=True, text=True)
        if ran.returncode:
            print(f"{record.set}/{record.name} has no beat table: {ran.stderr.strip()}", file=sys.stderr)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "refused").write_text(ran.stderr)


def read(out, record):
    """Adds table, R peaks, posteriors and the program's episodes; a record without a table has no beats."""
    folder = out / record.set / record.name
    if not (folder / "features.npy").exists():
        record.table, record.times = np.zeros((0, 0), np.float32), np.zeros(0)
        return
    record.names = [column["name"] for column in json.loads((folder / "features.json").read_text())["columns"]]
    record.table = np.load(folder / "features.npy")
    with open(folder / "beats.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    record.times = np.array([int(row["sample"]) for row in rows]) / record.rate
    record.classes = np.array([[row[name] or np.nan for name in POSTERIORS] for row in rows], np.float32)
    if (folder / "episodes.csv").exists():
        with open(folder / "episodes.csv", newline="") as file:
            record.episodes = [(float(row["start_s"]), float(row["end_s"]), row["label"])
                               for row in csv.DictReader(file)]


def class_model(out, records):
    """Returns the digest of the model of beat classes that the program used."""
    folders = (out / record.set / record.name for record in records)
    summary = next(folder / "summary.json" for folder in folders if (folder / "summary.json").exists())
    return json.loads(summary.read_text())["classes"]["model_sha256"]
