"""Shared by the tests of the PyTorch operators: the libraries that they need, and results of the program."""
import sys
import tempfile
import unittest
from pathlib import Path

import suite

try:
    import numpy as np
    import torch  # noqa: F401
except ImportError as error:
    suite.skip(f"needs {error.name}")

from program import ROOT, Result  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts" / "python"))
from beatscan import model as beatscan_model, operators as beatscan_ops  # noqa: E402, F401

SAMPLES = 150_000


class OperatorsCase(unittest.TestCase):
    """Has results of both methods for seven minutes of data/; a subclass chooses the device."""

    @classmethod
    def setUpClass(cls):
        cls.ops = beatscan_ops.load()
        cls.folder = tempfile.TemporaryDirectory()
        lines = (ROOT / "data" / "mitdb_205.csv").read_text().splitlines(keepends=True)
        recording = Path(cls.folder.name, "recording.csv")
        recording.write_text("".join(lines[:1 + SAMPLES]))
        cls.default, cls.seed = (Result(recording, config, cls.device) for config in ("default", "seed"))
        cls.x = cls.default.signal()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assert_same(self, tensor, expected, name=""):
        """Requires equal values, to the bit. NaN equals NaN, and an infinite value counts as NaN."""
        found = tensor.cpu().numpy()
        if found.dtype.kind == "f":
            found = np.where(np.isinf(found), np.nan, found)  # beats.csv has an empty cell for it
        np.testing.assert_array_equal(found, expected, err_msg=name)
