#!/usr/bin/env python3
"""Reference of atrial fibrillation (stages/episodes/atrial_fibrillation.h, but for breathing and confidence) and of heart
rate variability (stages/episodes/hrv.h) in float64 numpy, each by its definition.

    python3 episodes.py OUTDIR

Writes beats.csv, made of stretches of regular and irregular rhythm with S, V and gaps at 250 Hz, and expected.json:
first and last sample of each episode of atrial fibrillation, and the measures of heart rate variability.
"""
import json
import pathlib
import sys

import numpy as np

RATE_HZ = 250
ALIKE, SHARE, ALIKE_REST, SHARE_REST = .03, .055, .05, .25
EARLY, REACH, PARTNERS, AROUND, EDGE_AROUND, FEWEST, CORE = .85, 8, 60, 32, 4, 12, .5
LEAST_S, JOIN_S, RR_S = 30, 10, (.2, 3)


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


def shares(x, tolerance, *reaches):
    """The means of c over so many intervals on either side of each."""
    m, factor = len(x), np.exp(tolerance)
    c, has = np.zeros(m), np.zeros(m, bool)

    def like(i, j):
        return all(x[i + k] < x[j + k] * factor and x[j + k] < x[i + k] * factor for k in (0, 1))

    for i in range(m - 1):
        before = [like(i, j) for j in range(max(i - PARTNERS, 0), i)]
        behind = [like(i, j) for j in range(i + 1, min(i + PARTNERS, m - 2) + 1)]
        has[i] = bool(before or behind)
        if len(before) == len(behind) == PARTNERS:
            c[i] = max(sum(before), sum(behind)) / PARTNERS
        elif has[i]:
            c[i] = (sum(before) + sum(behind)) / (len(before) + len(behind))
    def mean(reach):
        around = [np.arange(max(i - reach, 0), min(i + reach + 1, m)) for i in range(m)]
        return np.array([c[a][has[a]].mean() if has[a].any() else 0 for a in around])

    return [mean(reach) for reach in reaches]


def shares_of_rest(x):
    m = len(x)
    medians = [np.median(x[np.clip(np.arange(i - REACH, i + REACH + 1), 0, m - 1)]) for i in range(m)]
    early = x < EARLY * np.array(medians)
    left = np.flatnonzero(~early & ~np.r_[False, early[:-1]])
    if len(left) < FEWEST:
        return np.zeros(m)
    rest, = shares(x[left], ALIKE_REST, AROUND)
    return np.array([rest[min(np.searchsorted(left, i), len(left) - 1)] for i in range(m)])


def atrial_fibrillation(beats, kinds):
    rr = np.diff(beats)
    linked = (rr >= RR_S[0] * RATE_HZ) & (rr <= RR_S[1] * RATE_HZ)
    aside = np.isin(kinds, ["V", "F"])
    places = np.flatnonzero(linked & ~aside[1:] & ~aside[:-1])
    x = rr[places].astype(float)
    wide, near = shares(x, ALIKE, AROUND, EDGE_AROUND)
    core = (wide < SHARE) & (shares_of_rest(x) < SHARE_REST)
    holds = core.copy()
    for m in np.flatnonzero(core):  # up to AROUND intervals on either side
        for step in (1, -1):
            for k in range(m + step, m + step * (AROUND + 1), step):
                if not (0 <= k < len(x) and (core[k] or near[k] < SHARE)):
                    break
                holds[k] = True
    episodes, open_run = [], False
    for i, length, core_here, holds_here in zip(places, x, core, holds):
        if holds_here and not (open_run and beats[i] - episodes[-1][1] <= JOIN_S * RATE_HZ):
            episodes.append([int(beats[i]), 0, 0])
        if holds_here:
            episodes[-1][1] = int(beats[i + 1])
            episodes[-1][2] += length * core_here
        open_run = holds_here
    least = LEAST_S * RATE_HZ
    return [[start, end] for start, end, of_core in episodes if end - start >= least and of_core >= CORE * least]


def spline(x, y, at):
    """The natural cubic spline, which begins anew after a step of more than 10 s."""
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
    af = atrial_fibrillation(beats, kinds)
    lines = "".join(f"{sample},{kind}\n" for sample, kind in zip(beats, kinds))
    (folder / "beats.csv").write_text("sample,symbol\n" + lines)
    expected = {"afib": af, "hrv": heart_rate_variability(beats, kinds, af)}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
