#!/usr/bin/env python3
"""Analyses a batch with --beats both, and reads its beats.parquet by one glob in pyarrow, pandas, polars and DuckDB.
Every cell must be that of beats.csv, and cohort.parquet that of cohort.csv. A reader that is not installed is skipped."""
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
import unittest
from pathlib import Path

import suite

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "python"))
PROGRAM = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"


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
    """Returns whether a CSV cell equals the value that a Parquet reader returned."""
    if cell == "":
        return value is None
    if isinstance(value, bool):
        return cell == str(int(value))
    if isinstance(value, str):
        return cell == value
    if isinstance(value, int):
        return cell == str(value)
    number = float(cell)
    # A float32 column is read as doubles of equal value; the cell has the shortest text that identifies it.
    return number == value or (math.isfinite(number) and struct.unpack("f", struct.pack("f", number))[0] == value)


def needs(*packages):
    missing = [package for package in packages if not importlib.util.find_spec(package)]
    return unittest.skipIf(missing, f"needs {' and '.join(missing)}")


def rows_of(pattern):
    rows = []
    for path in sorted(glob.glob(pattern)):
        with open(path, newline="", encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return rows


class Parquet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="beatscan-parquet-")
        cls.addClassCleanup(folder.cleanup)
        recordings = [f"{folder.name}/{name}.csv" for name in ("a", "b", "c")]
        for seed, path in enumerate(recordings):
            beatscan("generate", "--samples", 60000, "--abnormal", 0.1, "--seed", seed, "--out", path, "-q")
        cls.out = f"{folder.name}/out"
        beatscan("run", *recordings, "--rate", 250, "--beats", "both", "--no-report", "--set", "vae.epochs=2",
                 "--device", "cpu", "--out", cls.out, "-q")

    def assert_same(self, rows, columns):
        self.assertEqual(list(rows[0]), list(columns))
        for name, values in columns.items():
            self.assertEqual(len(values), len(rows), name)
            for i, (row, value) in enumerate(zip(rows, values)):
                self.assertTrue(is_same(row[name], value), f"{name}, row {i}: {row[name]} in CSV, {value} in Parquet")

    def assert_read(self, read):
        rows, cohort = rows_of(f"{self.out}/*/beats.csv"), rows_of(f"{self.out}/cohort.csv")
        self.assertGreater(len(rows), 500)
        self.assertEqual(len(cohort), 3)
        self.assert_same(rows, read(f"{self.out}/*/beats.parquet"))
        self.assert_same(cohort, read(f"{self.out}/cohort.parquet"))

    @needs("pyarrow")
    def test_pyarrow_reads_the_cells_of_csv(self):
        self.assert_read(by_pyarrow)

    @needs("pandas", "pyarrow")
    def test_pandas_reads_the_cells_of_csv(self):
        self.assert_read(by_pandas)

    @needs("polars")
    def test_polars_reads_the_cells_of_csv(self):
        self.assert_read(by_polars)

    @needs("duckdb")
    def test_duckdb_reads_the_cells_of_csv(self):
        self.assert_read(by_duckdb)

    @needs("pandas", "pyarrow")
    def test_waves_of_a_result_come_from_either_file(self):
        import pandas
        from beatscan import read

        recording, out = Path(self.out).parent / "a.csv", Path(self.out).parent / "waves"
        beatscan("run", recording, "--rate", 250, "--waves", "--beats", "both", "--no-report", "--set", "vae.epochs=2",
                 "--device", "cpu", "--out", out, "-q")
        by_csv = read(out).waves
        self.assertEqual(list(by_csv)[:3], ["beat", "lead", "p_onset_s"])
        (out / "waves.csv").unlink()
        pandas.testing.assert_frame_equal(read(out).waves, by_csv, check_dtype=False, rtol=1e-6)

    @needs("pyarrow")
    def test_the_schema_names_recording_rate_and_units(self):
        import pyarrow.parquet

        schema = pyarrow.parquet.read_schema(f"{self.out}/a/beats.parquet")
        facts = {key.decode(): value.decode() for key, value in schema.metadata.items()}
        self.assertEqual((facts["recording"], facts["sample_rate_hz"]), ("a", "250"))
        self.assertEqual(schema.field("rr_prev_s").metadata, {b"unit": b"s"})


if __name__ == "__main__":
    if not json.loads(beatscan("info"))["libraries"]["arrow"]:
        suite.skip("built without Arrow")
    suite.main()
