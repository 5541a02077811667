#!/usr/bin/env python3
"""Runs scripts/figures on data/ and checks that it makes a figure of which no part is empty.

The exit status is 77 (skipped) without numpy or matplotlib."""
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from skipped import skip

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"

try:
    import matplotlib.image
    import numpy as np
except ImportError as error:
    skip(f"{sys.executable} has no {error.name}")


def ink(image, box):
    """Returns the share of pixels that are not white in a part of the figure, given from its lower left corner."""
    height, width = image.shape[:2]
    part = image[int(height * (1 - box.y1)) : int(height * (1 - box.y0)), int(width * box.x0) : int(width * box.x1)]
    return (part[..., :3].min(axis=2) < 0.9).mean()


with tempfile.TemporaryDirectory() as folder:
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
    assert image.shape == matplotlib.image.imread(Path(folder) / "figures.png").shape
    assert len(boxes) == 12, boxes
    for box in boxes:
        share = ink(image, box)
        print(f"{share:.4f} of {box} is drawn on")
        assert 0.002 < share < 0.9
    assert len(results["default"].sample) == 2655 and results["default"].kept.all()
    assert np.isfinite(results["published"].generated).all()
print("passed")
