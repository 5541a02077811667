"""Steps 1 to 5 of the published pipeline, from its description alone: plain numpy, float64, each step by definition.

usage: published.py INPUT.csv OUTDIR                  writes response, starts, lengths, embeddings as .npy
       published.py --expectations INPUT.csv OUTDIR   writes the compact form that the tests compare with
       published.py --ties OUTDIR                     writes a response full of equal values and its starts
"""
import csv
import hashlib
import json
import math
import sys
from pathlib import Path

import numpy as np

COLUMN = "heartbeats"
WAVELET_WIDTH = 30
WINDOW = 180
CENTRE = 90
MIN_LENGTH, MAX_LENGTH = 100, 256
SAMPLED_EVERY = 97


def read_column(path, name=COLUMN):
    """Returns float32 [N]. Going through float64 rounds twice. For up to nine decimals and values near 1 that gives the
    same float32 as rounding the text once, because no such decimal lies within a float64 ulp of a float32 midpoint
    unless on it."""
    with open(path, newline="") as file:
        rows = csv.reader(file)
        column = next(rows).index(name)
        return np.array([float(row[column]) for row in rows], dtype=np.float64).astype(np.float32)


def ricker(width=WAVELET_WIDTH):
    t = np.linspace(-3.0, 3.0, width)
    return np.exp(-t**2 / 2) * (1 - t**2) * 2 / np.sqrt(width)


def circular_response(signal):
    """Returns c[i] = sum over k of w[k] x[(i - k) mod N]. The wavelet has indices 0..29: the response to a peak at i is
    at about i + 15."""
    n = len(signal)
    if n < WAVELET_WIDTH:
        raise ValueError(f"{n} samples are fewer than the wavelet has")
    padded = np.zeros(n)
    padded[:WAVELET_WIDTH] = ricker()
    return np.fft.irfft(np.fft.rfft(signal.astype(np.float64)) * np.fft.rfft(padded), n)


def windows_of(response):
    """Returns a view [N - 179, 180] whose row p is response[p .. p + 179]. It has no rows where the response is too
    short."""
    if len(response) < WINDOW:
        return np.empty((0, WINDOW))
    return np.lib.stride_tricks.sliding_window_view(response, WINDOW)


def gate_of(response):
    """Returns the gate before thinning: gate[p] is true if the largest value of window p is at its centre."""
    windows = windows_of(response)
    return windows.max(axis=1) == windows[:, CENTRE]


def first_of_each_run(gate):
    before = np.concatenate([[False], gate[:-1]])
    return gate & ~before


def find_starts(response):
    return np.flatnonzero(first_of_each_run(gate_of(response))).astype(np.int64)


def embed(signal, starts, lengths):
    """Returns float32 [B, 256], the rows of the candidates with an accepted length in time order. The last start has no
    length."""
    kept = [(s, n) for s, n in zip(starts, lengths) if MIN_LENGTH <= n <= MAX_LENGTH]
    rows = np.zeros((len(kept), MAX_LENGTH), dtype=np.float32)
    for row, (start, length) in zip(rows, kept):
        row[:length] = signal[start : start + length]
    return rows


def run(path):
    signal = read_column(path)
    response = circular_response(signal)
    starts = find_starts(response)
    lengths = np.diff(starts)
    return {"signal": signal, "response": response, "starts": starts, "lengths": lengths,
            "embeddings": embed(signal, starts, lengths)}


def margins(response, gate):
    """Returns the margin of each window's decision, relative to the largest |response|. A rounding error below half of
    it changes nothing. `starts`: maximum minus runner-up where the gate is open. `windows`: also maximum minus centre
    where it is closed."""
    windows, scale = windows_of(response), np.abs(response).max()
    open_at = np.flatnonzero(gate)
    top_two = np.sort(windows[open_at], axis=1)[:, -2:]
    closed = (windows.max(axis=1) - windows[:, CENTRE])[~gate]
    at_starts = (top_two[:, 1] - top_two[:, 0]) / scale
    at_windows = np.concatenate([at_starts, closed / scale])
    return {"starts": float(at_starts.min()) if len(at_starts) else None,
            "windows": float(at_windows.min()) if len(at_windows) else None,
            "adjacent_ties": int(gate.sum() - first_of_each_run(gate).sum()),
            "starts_below_1e-9": int((at_starts < 1e-9).sum())}


def summary_of(result):
    response, embeddings = result["response"], result["embeddings"]
    return {
        "N": len(result["signal"]),
        "starts": len(result["starts"]),
        "lengths": len(result["lengths"]),
        "B": len(embeddings),
        "too_short": int((result["lengths"] < MIN_LENGTH).sum()),
        "too_long": int((result["lengths"] > MAX_LENGTH).sum()),
        "embeddings_sha256": hashlib.sha256(embeddings.astype("<f4").tobytes()).hexdigest(),
        "embeddings_sum": math.fsum(embeddings.ravel().tolist()),
        "largest_abs_response": float(np.abs(response).max()),
        "response_sampled_every": SAMPLED_EVERY,
        "margin": margins(response, gate_of(response)),
    }


def write_arrays(result, outdir):
    for name in ("response", "starts", "lengths", "embeddings"):
        np.save(outdir / f"{name}.npy", result[name])


def write_expectations(result, outdir):
    np.save(outdir / "starts.npy", result["starts"])
    np.save(outdir / "lengths.npy", result["lengths"])
    np.save(outdir / "response_sampled.npy", result["response"][::SAMPLED_EVERY])
    (outdir / "expected.json").write_text(json.dumps(summary_of(result), indent=2) + "\n")


def response_with_ties():
    """Returns a response with few distinct values and constant segments. No real signal has such ties, so no input file
    tests them."""
    rng = np.random.default_rng(180)
    response = rng.integers(0, 40, 6000).astype(np.float64)
    plateaus = [(700, 1, 50), (879, 2, 50), (1300, 5, 50), (1500, 400, 50), (2600, 90, 45), (2780, 3, 45), (5990, 10, 60)]
    for at, length, value in plateaus:
        response[at : at + length] = value
    response[3200:3800] = 0.0
    return response


def write_ties(outdir):
    response = response_with_ties()
    np.save(outdir / "response.npy", response)
    np.save(outdir / "gate.npy", gate_of(response))
    np.save(outdir / "starts.npy", find_starts(response))


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--ties":
        outdir = Path(arguments[1])
        outdir.mkdir(parents=True, exist_ok=True)
        return write_ties(outdir)
    compact = arguments[:1] == ["--expectations"]
    if len(arguments) != 2 + compact:
        sys.exit(__doc__)
    source, outdir = arguments[-2], Path(arguments[-1])
    outdir.mkdir(parents=True, exist_ok=True)
    (write_expectations if compact else write_arrays)(run(source), outdir)


if __name__ == "__main__":
    main(sys.argv[1:])
