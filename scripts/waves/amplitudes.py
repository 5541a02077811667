"""Amplitudes of waves, the activity between T wave and next beat, and the similarity of P waves.

These functions are the reference for kernels/waves/amplitudes.h and non_conducted.h. Windows are [beats, 320] in mV of one
lead; `own` and `fused` are fiducials [beats, 9] of this lead and over leads in values from R, NaN where there is no
wave. A lead that shows no QRS complex has no amplitude and no activity.
"""
import numpy as np

from waves.windows import LENGTH, R_INDEX

SHAPE = 32  # values of a P wave's shape
LEAST_TQ = 8  # values
BEHIND_R = 80  # values to the TQ interval where there is no T wave
NO_QRS_ONSET = 117  # value at which it ends without a QRS complex


def value_at(windows, place):
    """Returns the windows' values at places [beats] in values from R, interpolated linearly; NaN outside of them."""
    k = R_INDEX + place
    inside = (k >= 0) & (k < LENGTH - 1)  # false for NaN
    whole = np.where(inside, k, 0).astype(int)
    rows = np.arange(len(windows))
    a, b = windows[rows, whole], windows[rows, whole + 1]
    return np.where(inside, a + np.where(inside, k - whole, 0) * (b - a), np.nan)


def wave_amplitudes(averages, own, fused):
    """Returns the amplitudes [beats, 2] of P and T from the isoelectric line, 20 to 8 ms before the QRS onset."""
    onset = R_INDEX + np.floor(np.nan_to_num(fused[:, 3], nan=-999)).astype(int)
    known = (onset >= 5) & (onset <= LENGTH) & ~np.isnan(own[:, 3])
    rows = np.arange(len(averages))
    before = np.mean([averages[rows, np.where(known, onset - back, 0)] for back in (5, 4, 3, 2)], axis=0)
    level = np.where(known, before, np.nan)
    k = np.arange(LENGTH) - R_INDEX
    inside = (k >= np.ceil(fused[:, 6:7])) & (k <= np.floor(fused[:, 8:9]))
    apart = averages - level[:, None]
    at = np.where(inside, np.abs(apart), -1).argmax(1)
    t = np.where(inside.any(1), apart[rows, at], np.nan)  # NaN where the level is
    return np.stack([value_at(averages, fused[:, 1]) - level, t], axis=1)


def tq_activity(singles, rr_before, own, fused):
    """Returns the root mean square [beats] between T wave and next P wave, or QRS complex, less a regression line."""
    t_offset = np.concatenate([[np.nan], fused[:-1, 8]])
    behind = np.where(np.isnan(t_offset), BEHIND_R, t_offset)
    low = np.clip(np.floor(behind + R_INDEX - rr_before) + 1, 0, LENGTH)
    onset = np.where(np.isnan(fused[:, 0]), fused[:, 3], np.maximum(fused[:, 0], -R_INDEX))
    high = np.where(np.isnan(onset), NO_QRS_ONSET, np.ceil(onset + R_INDEX))
    k = np.arange(LENGTH)
    inside = (k >= low[:, None]) & (k < high[:, None])
    count = inside.sum(1)
    distance = np.where(inside, k - ((low + high - 1) / 2)[:, None], 0)
    value = np.where(inside, singles, 0).astype(np.float64)
    slope = (distance ** 2).sum(1)
    rest = (value ** 2).sum(1) - value.sum(1) ** 2 / np.maximum(count, 1) \
        - (value * distance).sum(1) ** 2 / np.where(slope > 0, slope, 1)
    known = (count >= LEAST_TQ) & ~np.isnan(own[:, 3])
    return np.where(known, np.sqrt(np.maximum(rest, 0) / np.maximum(count, 1)), np.nan)


def p_similarity(singles, fused):
    """Returns the similarity [beats] of each P wave with the sum of the recording's P waves, -1 to 1.

    singles [leads, beats, 320]. A shape are 32 values of each lead from P onset to offset, less their mean, the shapes
    of all leads scaled to length 1.
    """
    onset, offset = fused[:, 0] + R_INDEX, fused[:, 2] + R_INDEX
    there = (onset >= 0) & (offset <= LENGTH - 1) & (onset < offset)
    place = np.where(there, onset, 0)[:, None] + np.where(there, offset - onset, 0)[:, None] * np.linspace(0, 1, SHAPE)
    below = np.minimum(place.astype(int), LENGTH - 2)
    rows = np.arange(len(fused))[:, None]
    shapes = singles[:, rows, below] + (place - below) * (singles[:, rows, below + 1] - singles[:, rows, below])
    shapes = (shapes - shapes.mean(-1, keepdims=True)).transpose(1, 0, 2).reshape(len(fused), -1).astype(np.float64)
    squares = (shapes ** 2).sum(1)
    there &= squares > 1e-12
    shapes = np.where(there[:, None], shapes / np.sqrt(np.where(there, squares, 1))[:, None], 0)
    dominant = shapes.sum(0)
    length = np.sqrt((dominant ** 2).sum())
    return np.where(there & (length > 0), shapes @ dominant / max(length, 1e-300), np.nan)
