#!/usr/bin/env python3
"""Runs docs/notebook.ipynb, and analyses recordings in two worker processes of Dask as docs/python.md shows.

It needs the packages of test_analysis.py, matplotlib, nbclient with ipykernel, and Dask; what lacks a package is skipped
(status 77 where nothing is left).
"""
import filecmp
import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build"))


def has(*packages):
    return all(map(importlib.util.find_spec, packages))


if not has("torch", "pandas", "numpy") or not (has("nbclient", "ipykernel", "matplotlib") or has("distributed")):
    print("skipped: no PyTorch, pandas and notebooks or Dask; BEATSCAN_PYTHON names an interpreter that has them")
    sys.exit(77)
sys.path.insert(0, str(ROOT / "scripts" / "python"))
os.environ["PYTHONPATH"] = str(ROOT / "scripts" / "python")
os.environ["BEATSCAN_EMBEDDED"] = str(BUILD / "libbeatscan_embedded.so")
OUTPUTS = ("beats.csv", "episodes.csv", "model.safetensors")


def analysed(path, out):
    import beatscan

    return beatscan.analyse(path, 360, device="cpu", out=out, vae_epochs=2).summary["beats"]["found"]


class Notebook(unittest.TestCase):
    @unittest.skipUnless(has("nbclient", "ipykernel", "matplotlib"), "no nbclient, ipykernel or matplotlib")
    def test_every_cell_runs(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
        nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        self.assertTrue(any("image/png" in output.get("data", {}) for output in outputs), "a figure")
        self.assertEqual(outputs[-1]["data"]["text/plain"], "True")


class Dask(unittest.TestCase):
    @unittest.skipUnless(has("distributed"), "no Dask")
    def test_two_workers_give_the_results_of_one_process(self):
        from distributed import Client, LocalCluster

        lines = (ROOT / "data" / "mitdb_205.csv").read_text().splitlines(keepends=True)
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / f"r{i}.csv" for i in range(4)]
            for i, path in enumerate(paths):
                path.write_text("".join(lines[:1] + lines[1 + 9000 * i:40_000 + 9000 * i]))
            here = [analysed(path, Path(folder) / "here" / path.stem) for path in paths]
            with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
                with Client(cluster) as client:
                    there = client.gather(client.map(analysed, paths, [Path(folder) / "there" / path.stem for path in paths]))
            self.assertEqual(here, there)
            for path in paths:
                for name in OUTPUTS:
                    self.assertTrue(filecmp.cmp(*(Path(folder) / place / path.stem / name for place in ("here", "there")), shallow=False),
                                    f"{path.stem}/{name}")


if __name__ == "__main__":
    unittest.main()
