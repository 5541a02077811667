#!/usr/bin/env python3
"""Analyses a batch with --beats both, and reads its beats.parquet by one glob in pyarrow, pandas, polars and DuckDB.
Every cell must be that of beats.csv, and cohort.parquet that of cohort.csv.

A reader that is not installed is left out. The exit status is 77 (skipped) where none is, and where the program was
built without Arrow."""
import csv
import glob
import importlib.util
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"
NEEDED = {"pyarrow": ("pyarrow",), "pandas": ("pandas", "pyarrow"), "polars": ("polars",), "duckdb": ("duckdb",)}
READERS = [name for name, packages in NEEDED.items() if all(map(importlib.util.find_spec, packages))]


def beatscan(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def by_pyarrow(pattern):
    import pyarrow.dataset as dataset

    table = dataset.dataset(sorted(glob.glob(pattern))).to_table()
    return {name: table.column(name).to_pylist() for name in table.column_names}


def by_pandas(pattern):
    import pandas

    frame = pandas.concat(pandas.read_parquet(path, dtype_backend="pyarrow") for path in sorted(glob.glob(pattern)))
    return {name: frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame.columns}


def by_polars(pattern):
    import polars

    frame = polars.scan_parquet(pattern).collect()
    return {name: frame[name].to_list() for name in frame.columns}


def by_duckdb(pattern):
    import duckdb

    relation = duckdb.sql(f"select * from '{pattern}'")
    return dict(zip(relation.columns, map(list, zip(*relation.fetchall()))))


def is_same(cell, value):
    """Tells whether a cell of CSV is the value that a reader of Parquet gave."""
    if cell == "":
        return value is None
    if isinstance(value, bool):
        return cell == str(int(value))
    if isinstance(value, str):
        return cell == value
    if isinstance(value, int):
        return cell == str(value)
    number = float(cell)
    # A column of float32 comes as the double that is equal to it; the cell has the shortest text that tells it.
    return number == value or (math.isfinite(number) and struct.unpack("f", struct.pack("f", number))[0] == value)


def compare(reader, rows, columns):
    assert list(rows[0]) == list(columns), (reader, list(rows[0]), list(columns))
    for name, values in columns.items():
        assert len(values) == len(rows), (reader, name, len(values), len(rows))
        for i, (row, value) in enumerate(zip(rows, values)):
            assert is_same(row[name], value), (reader, name, i, row[name], value)


def rows_of(pattern):
    rows = []
    for path in sorted(glob.glob(pattern)):
        with open(path, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return rows


def main():
    if not READERS:
        print("skipped: no pyarrow, pandas, polars or duckdb; BEATSCAN_PYTHON names an interpreter that has one")
        return 77
    if not json.loads(beatscan("info"))["libraries"]["arrow"]:
        print("skipped: the program was built without Arrow")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        recordings = [f"{folder}/{name}.csv" for name in ("a", "b", "c")]
        for seed, path in enumerate(recordings):
            beatscan("generate", "--samples", 60000, "--abnormal", 0.1, "--seed", seed, "--out", path, "-q")
        out = f"{folder}/out"
        beatscan("run", *recordings, "--rate", 250, "--beats", "both", "--no-report", "--set", "vae.epochs=2",
                 "--device", "cpu", "--out", out, "-q")
        rows, cohort = rows_of(f"{out}/*/beats.csv"), rows_of(f"{out}/cohort.csv")
        assert len(rows) > 500 and len(cohort) == 3, (len(rows), len(cohort))
        for reader in READERS:
            read = globals()[f"by_{reader}"]
            compare(reader, rows, read(f"{out}/*/beats.parquet"))
            compare(reader, cohort, read(f"{out}/cohort.parquet"))
            print(f"{reader}: {len(rows)} beats of {len(cohort)} recordings are those of beats.csv, cell by cell")
        if "pyarrow" in READERS:
            import pyarrow.parquet

            schema = pyarrow.parquet.read_schema(f"{out}/a/beats.parquet")
            facts = {key.decode(): value.decode() for key, value in schema.metadata.items()}
            assert facts["recording"] == "a" and facts["sample_rate_hz"] == "250", facts
            assert schema.field("rr_prev_s").metadata == {b"unit": b"s"}, schema.field("rr_prev_s").metadata
    return 0


sys.exit(main())
