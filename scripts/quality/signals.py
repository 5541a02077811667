"""The bands of a lead that quality features are computed from: 125 values a second, baseline, FIR filters, envelope.

docs/quality.md has these functions in words. A lead is x [N] with straight lines over its missing samples. At 125 Hz it
has 250 values a block of two seconds; values beyond its ends are the first and the last one.
"""
from dataclasses import dataclass

import numpy as np

RATE = 125.0  # values a second
BLOCK_S = 2.0
BLOCK = 250  # values of a block
PART = 25  # values of a part of 200 ms
PARTS = BLOCK // PART
PHASES = 256  # rows of the table of weights, for places between two samples
HALF_WIDTH = 4  # of the sinc, in periods of min(rate, 125 Hz)
BASELINE_REACH = 4  # parts on either side
LOW_PASS_HZ, LOW_PASS_REACH = 35.0, 8  # a reach is the number of taps on either side of the middle one
MUSCLE_HZ, MUSCLE_REACH = 15.0, 12
QRS_LOW_HZ, QRS_HIGH_HZ, QRS_REACH = 8.0, 20.0, 20
ENVELOPE_REACH = 4


def bridged(x):
    """Returns x with straight lines over missing samples (NaN), as beatscan reads a lead, and which are missing."""
    missing = ~np.isfinite(x)
    if missing.all():
        return np.zeros(len(x)), missing
    here = np.flatnonzero(~missing)
    return (np.interp(np.arange(len(x)), here, x[here]) if len(here) < len(x) else np.asarray(x, float)), missing


def block_count(samples, rate):
    """Returns the number of whole blocks, at least 1."""
    return max(1, int(np.floor(samples / (BLOCK_S * rate))))


def block_starts(samples, rate):
    """Returns the first sample of each block, and the end of the last one."""
    blocks = block_count(samples, rate)
    return np.minimum(np.floor(np.arange(blocks + 1) * (BLOCK_S * rate) + 0.5).astype(np.int64), samples)


def sampling_table(rate):
    """Returns weights [PHASES + 1, taps] and the number of samples before a place that they begin at."""
    half = HALF_WIDTH * rate / min(rate, RATE)  # samples
    cutoff = min(rate, RATE) / 2 / rate  # cycles a sample
    reach = int(np.ceil(half))
    distance = np.arange(1 - reach, reach + 1) - np.arange(PHASES + 1)[:, None] / PHASES
    weights = np.sinc(2 * cutoff * distance) * (0.5 + 0.5 * np.cos(np.pi * distance / half))
    weights[np.abs(distance) >= half] = 0
    return weights / weights.sum(1, keepdims=True), reach - 1


def sampled(x, rate, count):
    """Returns `count` values of x at 125 Hz: value k is the weighted mean around the sample k rate / 125."""
    weights, before = sampling_table(rate)
    out = np.empty(count)
    offsets = np.arange(weights.shape[1]) - before
    for first in range(0, count, 65536):
        place = np.arange(first, min(first + 65536, count)) * (rate / RATE)
        whole = np.floor(place).astype(np.int64)
        row = np.floor((place - whole) * PHASES + 0.5).astype(np.int64)
        index = np.clip(whole[:, None] + offsets, 0, len(x) - 1)
        out[first:first + len(place)] = (weights[row] * x[index]).sum(1)
    return out


def low_pass(cutoff_hz, reach):
    """Returns the taps of a low-pass: a sinc with a Hann window, whose sum is 1."""
    j = np.arange(-reach, reach + 1)
    taps = np.sinc(2 * cutoff_hz / RATE * j) * (0.5 + 0.5 * np.cos(np.pi * j / (reach + 1)))
    return taps / taps.sum()


def filtered(x, taps):
    """Returns the response of symmetric taps, with the ends of x prolonged."""
    reach = len(taps) // 2
    return np.convolve(np.pad(x, reach, mode="edge"), taps, mode="valid")


def by_part(x):
    return x.reshape(-1, PARTS, PART)


def baseline(y):
    """Returns the weighted mean over nine parts of 200 ms, interpolated linearly between the middles of the parts."""
    means = y.reshape(-1, PART).mean(1)
    weights = 0.5 + 0.5 * np.cos(np.pi * np.arange(-BASELINE_REACH, BASELINE_REACH + 1) / (BASELINE_REACH + 1))
    levels = filtered(means, weights / weights.sum())
    return np.interp(np.arange(len(y)), np.arange(len(levels)) * PART + (PART - 1) / 2, levels)


@dataclass
class Bands:
    """All [values] at 125 Hz."""
    whole: np.ndarray  # less the baseline
    baseline: np.ndarray
    wave: np.ndarray  # whole, below 35 Hz
    high: np.ndarray  # whole, above 35 Hz
    muscle: np.ndarray  # 15 to 35 Hz
    qrs: np.ndarray  # |8 to 20 Hz|
    envelope: np.ndarray  # its mean over 72 ms


def bands(y):
    """Splits a lead at 125 Hz."""
    line = baseline(y)
    whole = y - line
    wave = filtered(whole, low_pass(LOW_PASS_HZ, LOW_PASS_REACH))
    qrs = np.abs(filtered(whole, low_pass(QRS_HIGH_HZ, QRS_REACH) - low_pass(QRS_LOW_HZ, QRS_REACH)))
    return Bands(whole=whole, baseline=line, wave=wave, high=whole - wave,
                 muscle=wave - filtered(wave, low_pass(MUSCLE_HZ, MUSCLE_REACH)), qrs=qrs,
                 envelope=filtered(qrs, np.full(2 * ENVELOPE_REACH + 1, 1 / (2 * ENVELOPE_REACH + 1))))
