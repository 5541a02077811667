#!/usr/bin/env python3
"""Analyses recordings in two worker processes of Dask as docs/python.md shows. The results are those of the program."""
import filecmp
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

for package in ("torch", "pandas", "distributed"):
    if not importlib.util.find_spec(package):
        suite.skip(f"needs {package}")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"
sys.path.insert(0, str(ROOT / "scripts" / "python"))  # the workers inherit it
SAMPLES = 20_000
FILES = ("beats.csv", "episodes.csv", "model.safetensors")


def analysed(path, out):
    import beatscan

    return beatscan.analyse(path, 360, device="cpu", out=out, vae_epochs=2).summary["beats"]["found"]


class Dask(unittest.TestCase):
    def test_two_workers_give_the_results_of_the_program(self):
        from distributed import Client, LocalCluster

        header, *lines = (ROOT / "data" / "mitdb_205.csv").read_text().splitlines(keepends=True)
        with tempfile.TemporaryDirectory(prefix="beatscan-dask-") as name:
            folder = Path(name)
            paths = [folder / f"r{i}.csv" for i in range(4)]
            for i, path in enumerate(paths):
                path.write_text("".join([header, *lines[9000 * i:9000 * i + SAMPLES]]))
            subprocess.run([PROGRAM, "run", *paths, "--rate", "360", "--device", "cpu", "--set", "vae.epochs=2", "--no-report",
                            "--out", folder / "program", "-q"], check=True, stdout=subprocess.DEVNULL)
            with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
                with Client(cluster) as client:
                    found = client.gather(client.map(analysed, paths, [folder / "dask" / path.stem for path in paths]))
            for path, beats in zip(paths, found):
                self.assertGreater(beats, 50)
                for file in FILES:
                    one, other = (folder / place / path.stem / file for place in ("program", "dask"))
                    self.assertTrue(filecmp.cmp(one, other, shallow=False), f"{path.stem}/{file}")


if __name__ == "__main__":
    suite.main()
