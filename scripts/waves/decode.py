"""From the net's probabilities to onsets and offsets, P-wave evidence and non-conducted P waves.

These functions are the reference for the C++ stage; docs/waves.md has them in words. Times within a window are in
values of 4 ms from its first value, with R at 125. Masks are P, QRS, T.
"""
import numpy as np

from waves.windows import FAR, LENGTH, R_INDEX, RATE

CONSTANTS = {
    "threshold": 0.5,
    "qrs_range": [100, 155],  # values; the end is exclusive, here and below
    "qrs_default": [117, 138],  # without a QRS complex
    "p_after_r": 25,  # values from the R before
    "p_past_onset": 2,  # values
    "t_before_r": 8,  # values to the next R
    "p_gap": 2, "qrs_gap": 3, "t_gap": 3,  # values below the threshold within a wave
    "p_least": 5, "qrs_least": 1, "t_least": 8,  # values of a wave
    "evidence_width": 5,  # values
    "lead_share": 1 / 3,  # of the leads that must have a wave
    "global_leads": 6,  # with so many leads, the onset and the offset of a beat are these quantiles over leads
    "global_quantiles": [0.15, 0.85],
    "blocked_after_r": 30,  # values
    "blocked_before_r": 95,  # values
    "blocked_threshold": 0.35,
    "blocked_least": 5,  # values
    "blocked_others": 0.5,  # QRS and T must be below
    "gap_start": 70,  # values from R to the first value of the first extra window
    "gap_step": 160,  # values to the next one
    "gap_edge": 40,  # values at either end of an extra window that are not used
    "gap_windows": 12,
}
FIDUCIALS = ("p_onset", "p_peak", "p_offset", "qrs_onset", "r_peak", "qrs_offset", "t_onset", "t_peak", "t_offset")


def runs(p, low, high, threshold, gap, least):
    """Returns row, first, last and weight of all runs of p [rows, values] at or above the threshold.

    A run lies in low <= value < high of its row. Runs with at most `gap` values between them are one. The weight is the
    sum of p from the first to the last value. Runs of fewer than `least` values are left out.
    """
    rows, length = p.shape
    k = np.arange(length)
    above = (p >= threshold) & (k >= np.asarray(low)[:, None]) & (k < np.asarray(high)[:, None])
    edge = np.diff(np.pad(above, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, first = np.nonzero(edge == 1)
    _, last = np.nonzero(edge == -1)
    last = last - 1
    if len(row):
        joined = (row[1:] == row[:-1]) & (first[1:] - last[:-1] - 1 <= gap)
        row, first = row[np.concatenate([[True], ~joined])], first[np.concatenate([[True], ~joined])]
        last = last[np.concatenate([~joined, [True]])]
    total = np.pad(np.cumsum(p, axis=1, dtype=np.float64), ((0, 0), (1, 0)))
    weight = total[row, last + 1] - total[row, first]
    long = last - first + 1 >= least
    return row[long], first[long], last[long], weight[long]


def crossings(p, row, first, last, threshold):
    """Returns where p crosses the threshold before the first and behind the last value of runs, interpolated.

    At the ends of the row, or where the value beyond is not below the threshold, it is the first or the last value.
    """
    def crossing(inner, outer):
        beyond = np.clip(outer, 0, p.shape[1] - 1)
        a, b = p[row, beyond].astype(np.float64), p[row, inner].astype(np.float64)
        crossed = (outer == beyond) & (a < threshold)
        return np.where(crossed, outer + (inner - outer) * (threshold - a) / np.where(crossed, b - a, 1), inner)
    return crossing(first, first - 1), crossing(last, last + 1)


def heaviest_run(p, low, high, gap, least, threshold=CONSTANTS["threshold"]):
    """Returns onset, offset and place of the maximum of each row's heaviest run (the first of equals), NaN without."""
    row, first, last, weight = runs(p, low, high, threshold, gap, least)
    out = np.full((3, len(p)), np.nan)
    order = np.lexsort((-first, weight, row))  # the heaviest of a row is its last
    chosen = order[np.concatenate([row[order][1:] != row[order][:-1], [True]])] if len(row) else order
    row, first, last = row[chosen], first[chosen], last[chosen]
    out[0, row], out[1, row] = crossings(p, row, first, last, threshold)
    k = np.arange(p.shape[1])
    inside = (k >= first[:, None]) & (k <= last[:, None])
    out[2, row] = np.where(inside, p[row], -1).argmax(1) if len(row) else np.nan
    return out


def p_range(qrs_onset, t_offset, rr_before, c=CONSTANTS):
    """Returns the values in which the P waves of one lead's beats in a row may lie: [low, high).

    That is from 100 ms after the R before, and from behind the T wave of the beat before, to the onset of the QRS
    complex. Both arguments are in values of the beats' own windows, NaN where there is none.
    """
    low = np.where(rr_before < R_INDEX, np.maximum(0, np.floor(R_INDEX - rr_before + c["p_after_r"])), 0)
    t_before = np.concatenate([[np.nan], t_offset[:-1]]) - rr_before
    low = np.where(np.isnan(t_before), low, np.maximum(low, np.floor(np.nan_to_num(t_before)) + 1))
    onset = np.where(np.isnan(qrs_onset), c["qrs_default"][0], np.floor(np.nan_to_num(qrs_onset)))
    return low.astype(int), (onset + c["p_past_onset"]).astype(int)


def beat_waves(probability, rr_before, rr_after, c=CONSTANTS):
    """Returns FIDUCIALS [beats, 9] of masks [beats, 3, 320] of one lead's beats in a row.

    They are in values from R, NaN where there is no wave. The P peak is the middle of the P wave, and the R peak is R:
    amplitudes are for others to measure.
    """
    p, qrs, t = probability[:, 0], probability[:, 1], probability[:, 2]
    beats = len(probability)
    out = np.full((beats, 9), np.nan)
    full = np.ones(beats, int)
    on, off, _ = heaviest_run(qrs, c["qrs_range"][0] * full, c["qrs_range"][1] * full, c["qrs_gap"], c["qrs_least"])
    out[:, 3], out[:, 4], out[:, 5] = on, np.where(np.isnan(on), np.nan, R_INDEX), off
    low = np.where(np.isnan(off), c["qrs_default"][1], np.floor(np.nan_to_num(off)) + 1).astype(int)
    high = np.minimum(LENGTH, np.floor(R_INDEX + rr_after - c["t_before_r"])).astype(int)
    out[:, 6], out[:, 8], out[:, 7] = heaviest_run(t, low, high, c["t_gap"], c["t_least"])
    low, high = p_range(on, out[:, 8], rr_before, c)
    out[:, 0], out[:, 2], _ = heaviest_run(p, low, high, c["p_gap"], c["p_least"])
    out[:, 1] = (out[:, 0] + out[:, 2]) / 2
    return out - R_INDEX


def p_evidence(probability, fiducials, rr_before, c=CONSTANTS):
    """Returns the evidence of a P wave before each beat, 0 to 1: the greatest mean of 5 values in the P range.

    probability: masks of single beats [beats, 3, 320]; fiducials: those of the local averages. The means are over five
    values that all lie in the range; in a shorter range the evidence is 0.
    """
    width = c["evidence_width"]
    low, high = p_range(fiducials[:, 3] + R_INDEX, fiducials[:, 8] + R_INDEX, rr_before, c)
    total = np.pad(np.cumsum(probability[:, 0], axis=1, dtype=np.float64), ((0, 0), (1, 0)))
    mean = (total[:, width:] - total[:, :-width]) / width  # of values k to k + width - 1
    k = np.arange(mean.shape[1])
    inside = (k >= low[:, None]) & (k + width <= high[:, None])
    return np.where(inside, mean, 0).max(1)


def fuse(fiducials, c=CONSTANTS):
    """Returns FIDUCIALS [beats, 9] over leads of [leads, beats, 9]: medians, and global onsets and offsets.

    A wave needs a third of the leads. If six leads and more have it, its onset is the 15 % quantile over these leads
    and its offset the 85 % quantile (linear interpolation); else both are medians. Peaks are medians.
    """
    leads = len(fiducials)
    out = np.full(fiducials.shape[1:], np.nan)
    for wave in range(3):
        there = ~np.isnan(fiducials[:, :, 3 * wave])
        for beat in np.flatnonzero(there.sum(0) >= max(1, np.ceil(leads * c["lead_share"] - 1e-9))):
            values = fiducials[there[:, beat], beat, 3 * wave:3 * wave + 3]
            out[beat, 3 * wave:3 * wave + 3] = np.median(values, axis=0)
            if len(values) >= c["global_leads"]:
                out[beat, 3 * wave] = np.quantile(values[:, 0], c["global_quantiles"][0])
                out[beat, 3 * wave + 2] = np.quantile(values[:, 2], c["global_quantiles"][1])
    return out


def gap_windows(rr, c=CONSTANTS):
    """Returns the first values, from R, of the extra windows in an RR interval that its beats' windows do not cover."""
    starts, reached = [], LENGTH - R_INDEX
    while reached < rr - R_INDEX and len(starts) < c["gap_windows"]:
        starts.append(c["gap_start"] + len(starts) * c["gap_step"])
        reached = starts[-1] + LENGTH - c["gap_edge"]
    return starts


def stitched(rr, before, after, extra, c=CONSTANTS):
    """Returns the masks [3, values] of an RR interval from its first R: the mean of the windows that reach there.

    before, after: masks [3, 320] of the beats at both ends; extra: those of gap_windows(rr), which count without their
    edges and where neither beat's window reaches. A value of the window `after` is the nearest one. Values that no
    window reaches are 0.
    """
    length = int(np.floor(rr)) + 1
    total, count = np.zeros((3, length)), np.zeros(length)
    start_after = -int(np.floor(R_INDEX - rr + 0.5))  # of the window `after`, from the first R

    def add(masks, start, edge, allowed):
        low, high = max(0, start + edge), min(length, start + LENGTH - edge)
        if low < high:
            total[:, low:high] += masks[:, low - start:high - start] * allowed[low:high]
            count[low:high] += allowed[low:high]
    add(before, -R_INDEX, 0, np.ones(length))
    add(after, start_after, 0, np.ones(length))
    free = (count == 0).astype(np.float64)
    for masks, start in zip(extra, gap_windows(rr, c)):
        add(masks, start, c["gap_edge"], free)
    return total / np.maximum(count, 1)


def non_conducted(masks, rr, c=CONSTANTS):
    """Returns onsets and offsets of non-conducted P waves in one RR interval, in values from its first R.

    masks [3, values]: stitched() of single beats, the mean over leads. The QRS mask stays below 0.5 in all values of
    such a P wave, and the T mask in the mean.
    """
    low, high = np.array([c["blocked_after_r"]]), np.array([int(np.floor(rr)) - c["blocked_before_r"]])
    if high[0] <= low[0] or rr >= FAR:
        return np.zeros((0, 2))
    p = masks[:1]
    row, first, last, _ = runs(p, low, high, c["blocked_threshold"], c["p_gap"], c["blocked_least"])
    free = np.array([masks[1, a:b + 1].max() < c["blocked_others"] and masks[2, a:b + 1].mean() < c["blocked_others"]
                     for a, b in zip(first, last)], bool)
    on, off = crossings(p, row[free], first[free], last[free], c["blocked_threshold"])
    return np.stack([on, off], axis=1) if len(on) else np.zeros((0, 2))


def seconds(values):
    return np.asarray(values) / RATE
