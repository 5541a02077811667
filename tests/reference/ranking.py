#!/usr/bin/env python3
"""Reference of rows, rhythm and ranking around R peaks in float64 numpy (stages/beats/centred_beats.h and rhythm.h,
stages/score/score.h). It leaves out the model's part of the score, which depends on training.

    python3 ranking.py INPUT.csv RATE R_PEAKS.npy OUT.npy     # OUT [K][4]: median beat alone, with nearest, rhythm, baseline

It assumes that all beats lie in good signal and that the recording has no gaps.
"""
import sys

import numpy as np

BEFORE_S, AFTER_S, POINTS = .150, .300, 256
LOW_HZ, HIGH_HZ = .5, 40.
REACH, QUANTILE, REGULAR = 150, .6, .15
REFERENCE_BEATS, NEAREST_SHARE, LEAST_RANK = 512, .1, 5
LEAST_DISTANCE, TYPICAL_LOG, TYPICAL_RR, CAP, NEXT = 1e-3, .7, .05, 6., .5


def gaussian(x, sigma):
    """Smooths x by a Gaussian of sigma samples; beyond its ends x is its end values."""
    r = int(np.ceil(6 * sigma))
    w = np.exp(-.5 * (np.arange(-r, r + 1) / sigma) ** 2)
    return np.convolve(np.pad(x, r, mode="edge"), w / w.sum(), mode="valid")


def rows(x, rate, peaks):
    """Returns [K][POINTS], the band-limited beats around R peaks (samples), less their mean."""
    low = np.sqrt(np.log(2)) / (2 * np.pi * HIGH_HZ)  # sigmas in s: -3 dB at the ends of the band
    high = np.sqrt(-.5 * np.log(1 - np.sqrt(.5))) / (np.pi * LOW_HZ)
    band = gaussian(x, low * rate) - gaussian(x, high * rate)
    at = peaks[:, None] + np.linspace(-BEFORE_S, AFTER_S, POINTS) * rate
    beats = np.interp(at.ravel(), np.arange(len(x)), band).reshape(at.shape)
    return beats - beats.mean(1, keepdims=True)


def around(rr, n, q):
    """Returns [n], the q-quantile of the up to 2 REACH intervals around each beat."""
    return np.array([np.quantile(rr[max(0, i - REACH):i + REACH], q) for i in range(n)])


def deviation(v):
    return 1.4826 * np.median(np.abs(v - np.median(v)))


def rhythm(peaks):
    """Returns (score, is regular), [K] each."""
    rr = np.diff(peaks)
    prev, behind = np.r_[np.nan, rr], np.r_[rr, np.nan]
    middle, reference = around(rr, len(peaks), .5), around(rr, len(peaks), QUANTILE)
    regular = (np.abs(np.log(prev / middle)) <= REGULAR) & (np.abs(np.log(behind / middle)) <= REGULAR)
    total = np.zeros(len(peaks))
    for weight, v in ((1, -np.log(prev / reference)), (NEXT, np.log(behind / reference))):
        known = np.isfinite(v)
        scale = .5 * deviation(v[known]) + .5 * TYPICAL_RR
        z = (v - np.median(v[known & regular])) / scale
        total += weight * np.where(known, np.clip(z, 0, CAP), 0)
    return total, regular


def spread(indices, most):
    n = min(len(indices), most)
    return indices[[i * len(indices) // n for i in range(n)]]


def standard(distance, regular):
    v = np.log(distance + LEAST_DISTANCE)
    return (v - np.median(v[regular])) / (.5 * deviation(v[regular]) + .5 * TYPICAL_LOG)


def ranking(x, rate, peaks):
    beats = rows(x, rate, peaks)
    rhythm_score, regular = rhythm(peaks)
    median = np.median(beats[spread(np.arange(len(beats)), REFERENCE_BEATS)], 0)
    median -= median.mean()
    beats, median = beats / median.std(), median / median.std()
    plain = ((beats - median) ** 2).mean(1)
    size = np.clip(beats @ median / (median @ median), .8, 1.25)
    scaled = ((beats - size[:, None] * median) ** 2).mean(1)
    pooled = beats.reshape(len(beats), 64, -1).mean(2)
    references = pooled[spread(np.flatnonzero(regular), REFERENCE_BEATS)]
    rank = min(max(int(NEAREST_SHARE * len(references)), LEAST_RANK), len(references) - 1)
    nearest = np.array([np.sort(((references - row) ** 2).mean(1))[rank] for row in pooled])
    one, two, zero = (standard(e, regular) for e in (scaled, nearest, plain))
    return np.stack([one, .5 * one + .5 * two, rhythm_score, zero + rhythm_score], 1)


if __name__ == "__main__":
    csv, sample_rate, r_peaks, out = sys.argv[1:]
    samples = np.loadtxt(csv, skiprows=1, dtype=np.float32).astype(np.float64)
    np.save(out, ranking(samples, float(sample_rate), np.load(r_peaks)).astype(np.float32))
