"""What all peers share: how a run is timed, and where the independent reference lies."""
import statistics
import sys
import time
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[2] / "tests" / "reference"
sys.path.append(str(REFERENCE))  # published.py (the wavelet) and vae.py (the model) are used as they are


class Skip(Exception):
    """This peer cannot run here, for the reason given."""


def measure(work, repetitions, warm_up=None, scale=1.0):
    """Spread of the seconds of work() after a warm-up (work itself unless given), and what the last work() returned.
    work must end synchronised: a GPU call that has returned is not one that is done."""
    start = time.perf_counter()
    (warm_up or work)()
    warm_up_s = time.perf_counter() - start
    seconds, result = [], None
    for _ in range(repetitions):
        result = None  # freed outside the timing, as it would be in a program that reads one file
        start = time.perf_counter()
        result = work()
        seconds.append((time.perf_counter() - start) * scale)
    spread = {"median_s": statistics.median(seconds), "min_s": min(seconds), "max_s": max(seconds),
              "repetitions": repetitions, "warm_up_s": warm_up_s}
    return spread, result


def on_host(values):
    """A numpy array of what numpy, PyTorch or CuPy holds."""
    if hasattr(values, "cpu"):
        return values.cpu().numpy()
    return values.get() if hasattr(values, "get") else values


def gpu_name():
    try:
        torch, device, _ = torch_device()
        return torch.cuda.get_device_name() if device == "cuda" else None
    except Exception:  # no PyTorch, or one that does not load: that is said where a peer needs it
        return None


def torch_device():
    """PyTorch, its device, and what waits for that device."""
    import torch

    if torch.cuda.is_available():
        return torch, "cuda", torch.cuda.synchronize
    return torch, "cpu", lambda: None
