#!/usr/bin/env python3
"""Reference of rows, rhythm, noise and ranking with method r_peaks in float64 numpy (stages/windows/centred_beats.h,
rhythm.h and noise.h, stages/score/score.h). It omits the model's part of the score, which depends on training.

    python3 ranking.py INPUT.csv RATE R_PEAKS.npy OUT.npy     # OUT [K][5]: median beat alone, with nearest, rhythm, baseline, noise

It assumes that all beats lie in good signal and that the recording has no gaps.
"""
import sys

import numpy as np

BEFORE_S, AFTER_S, POINTS = .150, .300, 256
LOW_HZ, HIGH_HZ = .5, 40.
REACH, QUANTILE, REGULAR = 150, .6, .15
LOCAL_REACH, LOCAL_SHARE = 30, .25
NOISE_HZ, NOISE_AFTER_S, NOISE_BEFORE_S, NOISE_REACH_S, NOISE_MOST = 40., .160, .120, 2.5, 8.
BASELINE_AT_S, BASELINE_HALF_S, BASELINE_BLOCK_S = -.5 + .275 * np.arange(5), .3, .040
LEAST_NOISE, LEAST_RANGE, USUAL_RANGES = .003, .01, 2.
REFERENCE_BEATS, NEAREST_SHARE, LEAST_RANK = 512, .1, 5
PAUSE_S, PAUSE_RATIO, PAUSE = 2., 1.8, 1.05
LEAST_DISTANCE, TYPICAL_LOG, TYPICAL_RR, CAP, NEXT = 1e-3, .7, .05, 6., .5


def gaussian(x, sigma):
    """Smooths x by a Gaussian of sigma samples; beyond its ends x is extended by its end values."""
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


def around(rr, n, q, reach):
    """Returns [n], the q-quantile of the up to 2 reach intervals around each beat."""
    return np.array([np.quantile(rr[max(0, i - reach):i + reach], q) for i in range(n)])


def deviation(v):
    return 1.4826 * np.median(np.abs(v - np.median(v)))


def rhythm_within(peaks, rate, reach):
    """Returns (score, is regular), [K] each, against the intervals within one reach."""
    rr = np.diff(peaks)
    prev, behind = np.r_[np.nan, rr], np.r_[rr, np.nan]
    middle, reference = around(rr, len(peaks), .5, reach), around(rr, len(peaks), QUANTILE, reach)
    regular = (np.abs(np.log(prev / middle)) <= REGULAR) & (np.abs(np.log(behind / middle)) <= REGULAR)
    total = np.zeros(len(peaks))
    for weight, v in ((1, -np.log(prev / reference)), (NEXT, np.log(behind / reference))):
        known = np.isfinite(v)
        scale = .5 * deviation(v[known]) + .5 * TYPICAL_RR
        z = (v - np.median(v[known & regular])) / scale
        total += weight * np.where(known, np.clip(z, 0, CAP), 0)
    paused = (prev >= PAUSE_S * rate) & (prev / reference >= PAUSE_RATIO)  # by the scale of the term for a later pause
    z = (np.log(prev / reference) - np.median(v[known & regular])) / scale
    return np.maximum(total, PAUSE * np.where(paused, np.clip(z, 0, CAP), 0)), regular


def rhythm(peaks, rate):
    """Returns (score, is regular), [K] each."""
    score, regular = rhythm_within(peaks, rate, REACH)
    return (1 - LOCAL_SHARE) * score + LOCAL_SHARE * rhythm_within(peaks, rate, LOCAL_REACH)[0], regular


def noise(x, rate, peaks, regular, amplitude):
    """Returns [K], the factor by which noise increases a normal beat's distance."""
    s = 1 / (np.sqrt(2) * np.pi * NOISE_HZ)
    n = int(np.ceil(8 * s * rate))
    u = np.arange(-n, n + 1) / (rate * s)
    taps = (1 - u * u) * np.exp(-u * u / 2)
    taps -= taps.mean()
    taps /= np.abs(np.sum(taps * np.exp(2j * np.pi * NOISE_HZ / rate * np.arange(-n, n + 1))))
    square = np.convolve(x, taps, mode="same") ** 2
    sums, lengths = np.zeros(len(peaks) - 1), np.zeros(len(peaks) - 1)
    for i in range(len(peaks) - 1):
        part = square[int(np.ceil(peaks[i] + NOISE_AFTER_S * rate)):int(np.ceil(peaks[i + 1] - NOISE_BEFORE_S * rate))]
        sums[i], lengths[i] = part.sum(), len(part)
    near = np.abs((peaks[1:] + peaks[:-1])[None] / 2 - peaks[:, None]) <= NOISE_REACH_S * rate
    with np.errstate(invalid="ignore"):
        power = (near * sums).sum(1) / (near * lengths).sum(1)
    width = round(BASELINE_BLOCK_S * rate)
    means = np.array([x[i:i + width].mean() for i in range(0, len(x), width)])
    reach = int(BASELINE_HALF_S * rate / width - .5)
    middle = np.floor((peaks[:, None] + BASELINE_AT_S * rate) / width).astype(int)
    blocks = np.clip(middle[:, :, None] + np.arange(-reach, reach + 1), 0, len(means) - 1)
    moves = np.ptp(means[blocks].mean(2), axis=1)
    usual_power = max(np.nanmedian(power[regular]), (LEAST_NOISE * amplitude) ** 2)
    usual_range = USUAL_RANGES * max(np.median(moves[regular]), LEAST_RANGE * amplitude)
    return np.minimum(np.sqrt(np.fmax(power / usual_power, 1) * np.fmax(moves / usual_range, 1)), NOISE_MOST)


def spread(indices, most):
    n = min(len(indices), most)
    return indices[[i * len(indices) // n for i in range(n)]]


def standard(distance, regular):
    v = np.log(distance + LEAST_DISTANCE)
    return (v - np.median(v[regular])) / (.5 * deviation(v[regular]) + .5 * TYPICAL_LOG)


def ranking(x, rate, peaks):
    beats = rows(x, rate, peaks)
    rhythm_score, regular = rhythm(peaks, rate)
    median = np.median(beats[spread(np.arange(len(beats)), REFERENCE_BEATS)], 0)
    median -= median.mean()
    amplitude = median.std()
    beats, median = beats / amplitude, median / amplitude
    plain = ((beats - median) ** 2).mean(1)
    size = np.clip(beats @ median / (median @ median), .8, 1.25)
    scaled = ((beats - size[:, None] * median) ** 2).mean(1)
    pooled = beats.reshape(len(beats), 64, -1).mean(2)
    references = pooled[spread(np.flatnonzero(regular), REFERENCE_BEATS)]
    rank = min(max(int(NEAREST_SHARE * len(references)), LEAST_RANK), len(references) - 1)
    nearest = np.array([np.sort(((references - row) ** 2).mean(1))[rank] for row in pooled])
    by = noise(x, rate, peaks, regular, amplitude)
    one, two, zero = (standard(e, regular) for e in (scaled / by, nearest / by, plain))
    return np.stack([one, .5 * one + .5 * two, rhythm_score, zero + rhythm_score, by], 1)


if __name__ == "__main__":
    csv, sample_rate, r_peaks, out = sys.argv[1:]
    samples = np.loadtxt(csv, skiprows=1, dtype=np.float32).astype(np.float64)
    np.save(out, ranking(samples, float(sample_rate), np.load(r_peaks)).astype(np.float32))
