"""Runs the program that the operators are compared with, and reads its results."""
import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build"))
RATE_HZ = 360.0


def environment():
    """Returns an environment in which the program finds LibTorch: in the checkout or else beside Python's torch."""
    if (ROOT / ".deps/torch/torch/lib").is_dir():
        return None
    torch_folder = Path(torch.__file__).parent
    folders = [torch_folder / "lib", *sorted(torch_folder.parent.glob("nvidia/*/lib"))]
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, folders))}


def beatscan(*arguments):
    done = subprocess.run([BUILD / "beatscan", *map(str, arguments)], env=environment(), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def needed_version():
    return json.loads(beatscan("info"))["libraries"]["libtorch"]


class Result:
    """The program's result for a recording on a device, with a configuration, in a folder beside the recording."""

    def __init__(self, recording, config, device):
        self.path = recording.parent / f"{config}_{device}"
        beatscan("run", recording, "--rate", RATE_HZ, "--config", config, "--device", device,
                 "--save-arrays", "--out", self.path, "-q")
        self.config, self.device = config, device
        self.model = str(self.path / "model.safetensors")
        with open(self.path / "beats.csv", newline="") as file:
            self.beats = list(csv.DictReader(file))

    def array(self, name):
        return np.load(self.path / "arrays" / f"{name}.npy")

    def column(self, name, none=np.nan):
        return np.array([float(row[name]) if row[name] else none for row in self.beats], dtype=np.float32)

    def signal(self):
        return torch.from_numpy(self.array("signal")).to(self.device)
