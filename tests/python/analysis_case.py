"""Shared by the tests of beatscan.analyse: a recording, and the program's results for it.

They test the build in BEATSCAN_BUILD (build/). They need PyTorch of the version that the program was built with, NumPy
and pandas; without them a script is skipped.
"""
import filecmp
import sys
import tempfile
import unittest
from pathlib import Path

import suite

try:
    import numpy as np
    import pandas  # noqa: F401
    import torch
except ImportError as error:
    suite.skip(f"needs {error.name}")

from program import ROOT, beatscan, needed_version  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts" / "python"))

FEW = {"vae_epochs": 2}  # epochs, so that a run is short
SAMPLES = 60_000  # of data/, 167 s
SAME = ("beats.csv", "episodes.csv", "templates.csv", "abnormal.csv", "model.safetensors")
needs_gpu = unittest.skipUnless(torch.cuda.is_available(), suite.NEEDS_GPU)


class AnalysisCase(unittest.TestCase):
    device = "cpu"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.x = np.loadtxt(ROOT / "data" / "mitdb_205.csv", skiprows=1, dtype=np.float32)[:SAMPLES]
        np.save(cls.path / "one.npy", cls.x)
        cls.two = np.stack([cls.x, -0.5 * np.roll(cls.x, 3)])
        np.save(cls.path / "two.npy", cls.two)
        cls.programs = {}
        for name in ("one", "two"):
            out = cls.path / f"{name}-program"
            beatscan("run", cls.path / f"{name}.npy", "--rate", 360, "--device", cls.device, "--set", "vae.epochs=2", "--out", out)
            cls.programs[name] = out

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assert_programs(self, result, name):
        for file in SAME:
            self.assertTrue(filecmp.cmp(result.folder / file, self.programs[name] / file, shallow=False), file)


def main():
    """Runs the tests of the script, if PyTorch has the version that the program was built with."""
    if not torch.__version__.startswith(needed_version()):
        suite.skip(f"needs PyTorch {needed_version()}")
    suite.main()
