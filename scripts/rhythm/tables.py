"""Beat tables and the rules' episodes of records, as the program writes them."""
import csv
import json
import subprocess
import sys

import numpy as np

from classify.program import OPTIONS


def analyse(program, records, out, threads):
    """Runs the program over the records that have no table yet. One that it refuses gets an empty mark."""
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
    """Fills the table, R peaks and the rules' episodes; a record without a table has no beats."""
    folder = out / record.set / record.name
    if not (folder / "features.npy").exists():
        record.table, record.times = np.zeros((0, 0), np.float32), np.zeros(0)
        return
    record.names = [column["name"] for column in json.loads((folder / "features.json").read_text())["columns"]]
    record.table = np.load(folder / "features.npy")
    with open(folder / "beats.csv", newline="") as file:
        record.times = np.array([int(row["sample"]) for row in csv.DictReader(file)]) / record.rate
    if (folder / "episodes.csv").exists():
        with open(folder / "episodes.csv", newline="") as file:
            record.rules = [(float(row["start_s"]), float(row["end_s"]), row["label"]) for row in csv.DictReader(file)]
