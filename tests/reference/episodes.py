#!/usr/bin/env python3
"""Reference of heart rate variability (stages/rhythm/hrv.h) in float64 numpy, by its definition.

    python3 episodes.py OUTDIR

Writes beats.csv, made of segments of regular and irregular rhythm with S, V and gaps at 250 Hz, and expected.json:
first and last sample of each episode of atrial fibrillation, which heart rate variability excludes, and its measures.
"""
import json
import pathlib
import sys

import numpy as np

RATE_HZ = 250
RR_S = (.2, 3)
AFIB = [[103487, 159501], [437159, 512582]]  # samples, about where the rhythm is irregular


def made_beats():
    random = np.random.default_rng(18)
    rr, kinds = [], []

    def add(kind, seconds):
        kinds.append(kind)
        rr.append(seconds)

    def regular(count):
        for i in range(count):
            t = sum(rr[-1:]) + .83 * i
            add("N", .83 + .04 * np.sin(2 * np.pi * .1 * t) + .02 * np.sin(2 * np.pi * .25 * t) + .004 * random.normal())

    def irregular(count):
        for _ in range(count):
            add("V" if random.random() < .05 else "N", random.uniform(.4, 1.1))

    regular(500)
    irregular(300)
    regular(150)
    irregular(25)
    regular(150)
    for _ in range(100):  # S at any time
        regular(2)
        add("S", random.uniform(.4, .65))
        add("N", random.uniform(.95, 1.15))
    add("N", 25)
    for _ in range(80):  # V with their pauses
        regular(5)
        add("V", .5)
        add("N", 1.2)
    irregular(200)
    add("N", 9)
    irregular(200)
    return np.cumsum(np.round(np.array(rr) * RATE_HZ)).astype(np.int64), np.array(kinds)


def spline(x, y, at):
    """The natural cubic spline, which restarts after a step of more than 10 s."""
    n, h = len(x), np.diff(x)
    matrix, right = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        if max(h[k - 1], h[k]) <= 10:
            matrix[k, k - 1:k + 2] = h[k - 1] / 6, (h[k - 1] + h[k]) / 3, h[k] / 6
            right[k] = (y[k + 1] - y[k]) / h[k] - (y[k] - y[k - 1]) / h[k - 1]
    curvature = np.linalg.solve(matrix, right)
    k = np.clip(np.searchsorted(x, at) - 1, 0, n - 2)
    b = (at - x[k]) / h[k]
    a = 1 - b
    return a * y[k] + b * y[k + 1] + ((a**3 - a) * curvature[k] + (b**3 - b) * curvature[k + 1]) * h[k]**2 / 6


def heart_rate_variability(beats, kinds, af):
    rr = np.diff(beats)
    normal = kinds == "N"
    used = (rr >= RR_S[0] * RATE_HZ) & (rr <= RR_S[1] * RATE_HZ) & normal[1:] & normal[:-1]
    for first, last in af:
        used &= ~((beats[:-1] < last) & (beats[1:] > first))
    places = np.flatnonzero(used)
    ms, ends = rr[places] / RATE_HZ * 1000, beats[places + 1] / RATE_HZ
    changes = np.diff(ms)[np.diff(places) == 1]
    at = ends[0] + np.arange(int((ends[-1] - ends[0]) * 4) + 1) / 4
    even = spline(ends, ms, at)
    covered = np.array([np.any((t > ends - ms / 1000 - 1e-9) & (t <= ends + 1e-9)) for t in at])
    hann = .5 - .5 * np.cos(2 * np.pi * np.arange(1024) / 1024)
    powers = []
    for first in range(0, len(at) - 1023, 512):
        if covered[first:first + 1024].mean() >= .8:
            part = even[first:first + 1024]
            powers.append(2 * np.abs(np.fft.rfft((part - part.mean()) * hann))**2 / (hann**2).sum() / 1024)
    hz, power = np.fft.rfftfreq(1024, .25), np.mean(powers, 0)
    return {"intervals": len(ms), "mean_nn_ms": ms.mean(), "sdnn_ms": ms.std(ddof=1),
            "rmssd_ms": np.sqrt((changes**2).mean()),
            "pnn50_percent": 100 * int((np.abs(changes) > 50).sum()) / (len(changes) + 1),
            "lf_ms2": power[(hz >= .04) & (hz < .15)].sum(), "hf_ms2": power[(hz >= .15) & (hz < .4)].sum(),
            "windows": len(powers)}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    beats, kinds = made_beats()
    lines = "".join(f"{sample},{kind}\n" for sample, kind in zip(beats, kinds))
    (folder / "beats.csv").write_text("sample,symbol\n" + lines)
    expected = {"afib": AFIB, "hrv": heart_rate_variability(beats, kinds, AFIB)}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
