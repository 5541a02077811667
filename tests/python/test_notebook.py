#!/usr/bin/env python3
"""Runs docs/notebook.ipynb with the package of the checkout and the build folder BEATSCAN_BUILD."""
import importlib.util
import os
import unittest
from pathlib import Path

import suite

for package in ("torch", "pandas", "matplotlib", "nbclient", "ipykernel"):
    if not importlib.util.find_spec(package):
        suite.skip(f"needs {package}")

ROOT = Path(__file__).resolve().parents[2]
os.environ["PYTHONPATH"] = str(ROOT / "scripts" / "python")


class Notebook(unittest.TestCase):
    def test_every_cell_runs(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
        nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
        outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
        self.assertTrue(any("image/png" in output.get("data", {}) for output in outputs), "a figure")
        self.assertEqual(outputs[-1]["data"]["text/plain"], "True")


if __name__ == "__main__":
    suite.main()
