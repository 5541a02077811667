#!/usr/bin/env python3
"""Runs scripts/figures on data/ and checks that no part of the figure is empty."""
import os
import runpy
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"

try:
    import matplotlib.image
    import numpy as np
except ImportError as error:
    suite.skip(f"needs {error.name}")


def ink(image, box):
    """Returns the share of pixels that are not white in a part of the figure, given from its lower left corner."""
    height, width = image.shape[:2]
    part = image[int(height * (1 - box.y1)) : int(height * (1 - box.y0)), int(width * box.x0) : int(width * box.x1)]
    return (part[..., :3].min(axis=2) < 0.9).mean()


class Figures(unittest.TestCase):
    def test_no_part_is_empty(self):
        with tempfile.TemporaryDirectory(prefix="beatscan-figures-") as folder:
            script = str(ROOT / "scripts/figures")
            recording = str(ROOT / "data/mitdb_205.csv")
            subprocess.run([sys.executable, script, recording, folder, "--rate", "360", "--program", PROGRAM], check=True)
            boxes = []
            names = runpy.run_path(script, run_name="figures")
            names["plt"].close = lambda figure: boxes.extend(axes.get_position() for axes in figure.axes)
            results = {name: names["Result"](Path(folder) / name) for name in names["METHODS"]}
            again = Path(folder) / "again.png"
            names["draw"](results, "a test", again)
            image = matplotlib.image.imread(again)
            self.assertEqual(image.shape, matplotlib.image.imread(Path(folder) / "figures.png").shape)
        self.assertEqual(len(boxes), 12)
        for box in boxes:
            with self.subTest(box):
                self.assertTrue(0.002 < ink(image, box) < 0.9, ink(image, box))
        self.assertEqual(len(results["default"].sample), 2655)
        self.assertTrue(results["default"].kept.all())
        self.assertTrue(np.isfinite(results["published"].generated).all())


if __name__ == "__main__":
    suite.main()
