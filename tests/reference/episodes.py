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
    for _ in range(8):  # V with a response of sinus rhythm
        regular(7)
        add("V", .5)
        add("N", 1.15)
        for k in range(18):
            add("N", .83 - .03 * np.cos(2 * np.pi * k / 12) + .004 * random.normal())
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


def fluctuation_slope(ms, sizes):
    """Detrended fluctuation analysis with boxes that do not overlap."""
    profile = np.cumsum(ms - ms.mean())
    logs = []
    for n in sizes:
        boxes = profile[:len(profile) // n * n].reshape(-1, n)
        lines = [np.polyval(np.polyfit(np.arange(n), box, 1), np.arange(n)) for box in boxes]
        logs.append(np.log(np.sqrt(np.mean((boxes - lines)**2))))
    return np.polyfit(np.log(list(sizes)), logs, 1)[0]


def segment_deviation(ms, ends):
    segments = np.floor(ends / 300)
    means = [ms[segments == s].mean() for s in np.unique(segments) if ms[segments == s].sum() >= .8 * 300e3]
    return np.std(means, ddof=1)


def deceleration(ms, places):
    found = []
    for i in range(2, len(ms) - 1):
        if places[i + 1] - places[i - 2] == 3 and ms[i - 1] < ms[i] <= 1.05 * ms[i - 1]:
            found.append((ms[i] + ms[i + 1] - ms[i - 1] - ms[i - 2]) / 4)
    return np.mean(found)


def turbulence(rr_ms, kinds, used):
    """Onset and slope; `used` are the NN intervals."""
    onsets, rows = [], []
    for v in np.flatnonzero(kinds == "V"):
        if v < 6 or v + 16 > len(rr_ms) or not (used[v - 6:v - 1].all() and used[v + 1:v + 16].all()):
            continue
        before, after, reference = rr_ms[v - 6:v - 1], rr_ms[v + 1:v + 16], rr_ms[v - 6:v - 1].mean()
        near = all(np.all((300 <= x) & (x <= 2000) & (np.abs(x - reference) <= .2 * reference)) and
                   np.all(np.abs(np.diff(x)) <= 200) for x in (before, after))
        if near and rr_ms[v - 1] <= .8 * reference and rr_ms[v] >= 1.2 * reference:
            onsets.append(100 * (after[:2].sum() / before[-2:].sum() - 1))
            rows.append(after)
    mean = np.mean(rows, 0)
    return len(rows), np.mean(onsets), max(np.polyfit(np.arange(5), mean[k:k + 5], 1)[0] for k in range(11))


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
    pairs = np.flatnonzero(np.diff(places) == 1)
    vpcs, onset, slope = turbulence(rr / RATE_HZ * 1000, kinds, used)
    hz, power = np.fft.rfftfreq(1024, .25), np.mean(powers, 0)
    return {"intervals": len(ms), "mean_nn_ms": ms.mean(), "sdnn_ms": ms.std(ddof=1),
            "rmssd_ms": np.sqrt((changes**2).mean()),
            "pnn50_percent": 100 * int((np.abs(changes) > 50).sum()) / (len(changes) + 1),
            "lf_ms2": power[(hz >= .04) & (hz < .15)].sum(), "hf_ms2": power[(hz >= .15) & (hz < .4)].sum(),
            "windows": len(powers), "vlf_ms2": power[(hz >= .003) & (hz < .04)].sum(),
            "sdann_ms": segment_deviation(ms, ends),
            "sd1_ms": np.std((ms[pairs + 1] - ms[pairs]) / np.sqrt(2), ddof=1),
            "sd2_ms": np.std((ms[pairs + 1] + ms[pairs]) / np.sqrt(2), ddof=1),
            "dfa_alpha1": fluctuation_slope(ms, range(4, 17)), "dfa_alpha2": fluctuation_slope(ms, range(16, 65)),
            "dc_ms": deceleration(ms, places), "hrt_vpcs": vpcs, "hrt_onset_percent": onset,
            "hrt_slope_ms_per_rr": slope}


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
