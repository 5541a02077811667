"""Functions that all peers use: timing, devices, and the path of the independent reference."""
import statistics
import sys
import time
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[2] / "tests" / "reference"
sys.path.append(str(REFERENCE))  # published.py (the wavelet) and vae.py (the model) are used as they are


class Skip(Exception):
    """This peer cannot run here, for the reason given."""


def measure(work, repetitions, warm_up=None, scale=1.0):
    """Returns the spread of the seconds of work() after a warm-up (work itself unless given), and the last work()'s
    result. work must wait for the GPU at its end, because GPU calls are asynchronous."""
    start = time.perf_counter()
    (warm_up or work)()
    warm_up_s = time.perf_counter() - start
    seconds, result = [], None
    for _ in range(repetitions):
        result = None  # freed outside the timing, as in a program that reads one file
        start = time.perf_counter()
        result = work()
        seconds.append((time.perf_counter() - start) * scale)
    spread = {"median_s": statistics.median(seconds), "min_s": min(seconds), "max_s": max(seconds),
              "repetitions": repetitions, "warm_up_s": warm_up_s}
    return spread, result


def on_host(values):
    """Returns the values of a numpy, PyTorch or CuPy array as a numpy array."""
    if hasattr(values, "cpu"):
        return values.cpu().numpy()
    return values.get() if hasattr(values, "get") else values


def gpu_name():
    try:
        torch, device, _ = torch_device()
        return torch.cuda.get_device_name() if device == "cuda" else None
    except Exception:  # PyTorch is missing or does not load; a peer that needs it reports that
        return None


def torch_device():
    """Returns PyTorch, its device, and a function that waits for that device."""
    import torch

    if torch.cuda.is_available():
        return torch, "cuda", torch.cuda.synchronize
    return torch, "cpu", lambda: None
