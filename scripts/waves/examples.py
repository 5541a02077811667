"""Windows of records, and the training examples of the net."""
from dataclasses import dataclass

import numpy as np

from waves.data import P, QRS, T
from waves.windows import (FAR, LENGTH, R_INDEX, RATE, cut, fill, heights, intervals, local_averages, median,
                           same_template, without_baseline)

BEFORE, STORED = 160, 400  # values of a stored window before R, and in all: room to stretch and to shift
NET = slice(BEFORE - R_INDEX, BEFORE - R_INDEX + LENGTH)
SETS = ("ludb", "qtdb", "pwave", "irhythm", "shifted")
SHARES = (0.57, 0.20, 0.13, 0.06, 0.04)  # of a batch; `shifted` are windows between beats
IGNORED = 8  # times the bit of a wave: wave is ignored in training here
ALL_WAVES = (1 << P) | (1 << QRS) | (1 << T)


@dataclass
class Windows:
    record: object
    r: np.ndarray  # [beats] samples
    single: np.ndarray  # [leads, beats, STORED] mV
    average: np.ndarray  # [leads, beats, STORED] mV
    height: np.ndarray  # [leads, beats] mV
    rr_before: np.ndarray  # [beats] values
    rr_after: np.ndarray
    y: np.ndarray  # [leads, samples] mV, without the baseline


def noisy(record, microvolts, seed):
    """Returns the signals with white noise of this many microvolts below 125 Hz."""
    spread = microvolts / 1000 * np.sqrt(record.rate / RATE)
    return record.x + np.random.default_rng(seed).normal(size=record.x.shape) * spread


def windows_of(record, microvolts=0, r=None):
    """Cuts windows from a record. With noise, the templates are those of the clean signal."""
    r = record.r if r is None else r
    y = without_baseline(record.x, record.rate)
    single = fill(cut(y, record.rate, r, BEFORE, STORED))
    same = same_template(single[:, :, NET])
    if microvolts:
        y = without_baseline(noisy(record, microvolts, 1), record.rate)
        single = fill(cut(y, record.rate, r, BEFORE, STORED))
    average = local_averages(single, same, BEFORE)
    return Windows(record, r, single, average, heights(average[:, :, NET]), *intervals(r, record.rate), y)


def labels_at(centres, waves, r, rate):
    """Returns the labels [windows, STORED] of windows around centres: bit `wave`, and that times IGNORED."""
    step = rate / RATE  # samples a value
    at = centres[:, None] + (np.arange(STORED) - BEFORE) * step
    labels = np.zeros(at.shape, np.uint8)
    marks = waves[:, 1:]
    labels[(at < np.nanmin(marks)) | (at > np.nanmax(marks))] = ALL_WAVES * IGNORED
    peaks = waves[waves[:, 0] == QRS, 2]
    for beat in r[np.abs(r[:, None] - peaks).min(1) > 40 * step]:  # beats without annotations
        labels[(at > beat - 75 * step) & (at < beat + 125 * step)] |= ALL_WAVES * IGNORED
    for wave, onset, peak, offset in waves:
        bit = np.uint8(1 << int(wave))
        if np.isnan(onset):
            labels[(at > peak - 60 * step) & (at < peak)] |= bit * IGNORED
            onset = peak
        if np.isnan(offset):
            labels[(at > peak) & (at < peak + 60 * step)] |= bit * IGNORED
            offset = peak
        labels[(at >= onset) & (at <= offset)] |= bit
    return labels


def p_labels_at(centres, p, rate):
    """Returns labels of P peaks: sure within 28 ms, ignored to 72 ms. QRS and T are ignored."""
    step = rate / RATE
    at = centres[:, None] + (np.arange(STORED) - BEFORE) * step
    labels = np.full(at.shape, ((1 << QRS) | (1 << T)) * IGNORED, np.uint8)
    if len(p):
        place = np.clip(np.searchsorted(p, at), 1, len(p) - 1) if len(p) > 1 else np.zeros(at.shape, int)
        distance = np.minimum(np.abs(at - p[place]), np.abs(at - p[np.maximum(place - 1, 0)]))
        labels[distance <= 18 * step] |= (1 << P) * IGNORED
        labels[distance <= 7 * step] &= 255 - (1 << P) * IGNORED
        labels[distance <= 7 * step] |= 1 << P
    return labels


def labels_of(record, centres, lead):
    if record.set == "pwave":
        return p_labels_at(centres, record.p, record.rate)
    if record.set == "irhythm":  # no P waves in atrial fibrillation; unknown elsewhere
        labels = p_labels_at(centres, np.zeros(0), record.rate)
        at = centres[:, None] + (np.arange(STORED) - BEFORE) * (record.rate / RATE)
        known = np.zeros(at.shape, bool)
        for start, end, name in record.episodes:
            known |= (name == "AFIB") & (at >= start) & (at < end)
        labels[~known] |= (1 << P) * IGNORED
        return labels
    return labels_at(centres, record.waves[lead], record.r, record.rate)


def chosen_beats(record, lead, rng):
    """Returns the training beats of a lead."""
    r = record.r
    if record.set == "pwave":
        beats = np.arange(5, len(r) - 5)
        return beats[rng.random(len(beats)) < 0.5]
    if record.set == "irhythm":
        return np.flatnonzero(np.any([(name == "AFIB") & (r >= start) & (r < end)
                                      for start, end, name in record.episodes], axis=0))
    peaks = record.waves[lead][record.waves[lead][:, 0] == QRS, 2]
    if not len(peaks):
        return np.zeros(0, int)
    return np.flatnonzero(np.abs(r[:, None] - peaks).min(1) <= 40 * record.rate / RATE)


def examples_of(windows, seed):
    """Returns arrays of a record: single, average [n, STORED], labels, set, and marks [n, 3] in values from BEFORE."""
    record, rng, parts = windows.record, np.random.default_rng(seed), []
    scaled = lambda v, height: np.clip((v - median(v[:, NET], keepdims=True)) / height[:, None], -32, 32)
    for lead in range(len(record.x)):
        beats = chosen_beats(record, lead, rng)
        if not len(beats):
            continue
        height, centres = windows.height[lead, beats], record.r[beats]
        marks = np.stack([-windows.rr_before[beats], np.zeros(len(beats)), windows.rr_after[beats]], axis=1)
        parts.append((scaled(windows.single[lead, beats], height), scaled(windows.average[lead, beats], height),
                      labels_of(record, centres, lead), np.full(len(beats), SETS.index(record.set)), marks))
        if record.set != "irhythm":
            shift = np.round(rng.uniform(-100, 150, len(beats)))
            away = centres + shift * record.rate / RATE
            single = scaled(fill(cut(windows.y[lead:lead + 1], record.rate, away, BEFORE, STORED))[0], height)
            parts.append((single, single, labels_of(record, away, lead), np.full(len(beats), SETS.index("shifted")),
                          np.where(np.abs(marks) >= FAR, marks, marks - shift[:, None])))
    if not parts:
        return None
    single, average, labels, source, marks = (np.concatenate(part) for part in zip(*parts))
    return single.astype(np.float32), average.astype(np.float32), labels, source.astype(np.int64), \
        marks.astype(np.float32)
