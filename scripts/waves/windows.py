"""Windows around the R-wave apex: baseline, sampling at 250 Hz, local averages, the net's input.

These functions are the reference for the C++ stage; docs/waves.md has them in words. Signals are in mV with NaN where a
sample is missing, positions in samples of the recording, and windows in values of 4 ms.
"""
import numpy as np

RATE = 250.0  # values of a window a second
LENGTH = 320  # values of a window: 1.28 s
R_INDEX = 125  # value at the R-wave apex
BASELINE_HZ = 0.35
BLOCK_S = 0.04
BASELINE_REACH = 46  # blocks on either side
HALF_WIDTH = 4  # of the sinc, in periods of min(rate, 250 Hz)
PASS = 0.8  # of min(rate / 2, 125 Hz)
AVERAGE_REACH = 8  # beats on either side
LEAST_AVERAGED = 3  # beats of a local average
HEIGHT_REACH = 20  # values on either side of R: 80 ms
LEAST_HEIGHT = 0.001  # mV
MARK_HALF_WIDTH = 4  # values
FAR = 9999.0  # values from R where there is no neighbouring beat


def median(x, axis=-1, keepdims=False):
    """Returns the median, which of an even number of values is the mean of the middle two."""
    return np.median(x, axis=axis, keepdims=keepdims)


def baseline(x, rate):
    """Returns the zero-phase first-order 0.35 Hz low-pass of x [leads, samples], computed on means of 40 ms."""
    leads, length = x.shape
    size = max(1, int(np.floor(BLOCK_S * rate + 0.5)))
    starts = np.arange(0, length, size)
    present = ~np.isnan(x)
    counts = np.add.reduceat(present.astype(np.float64), starts, axis=1)
    sums = np.add.reduceat(np.where(present, x, 0).astype(np.float64), starts, axis=1)
    means = sums / np.maximum(counts, 1)
    kernel = np.exp(-2 * np.pi * BASELINE_HZ * np.abs(np.arange(-BASELINE_REACH, BASELINE_REACH + 1)) * size / rate)
    smooth = np.zeros_like(means)
    for lead in range(leads):  # a block's weight is its number of samples
        weights = np.convolve(counts[lead], kernel)[BASELINE_REACH:-BASELINE_REACH]
        smooth[lead] = np.convolve(counts[lead] * means[lead], kernel)[BASELINE_REACH:-BASELINE_REACH]
        smooth[lead] = np.where(weights > 0, smooth[lead] / np.where(weights > 0, weights, 1), 0)
    centres = starts + (np.minimum(starts + size, length) - starts - 1) / 2
    return np.stack([np.interp(np.arange(length), centres, row) for row in smooth])


def without_baseline(x, rate):
    return x - baseline(x, rate)


def cut(y, rate, r, before=R_INDEX, length=LENGTH):
    """Returns windows [leads, beats, length] around positions r, NaN where there are no samples nearby.

    A value is the weighted mean of the samples less than H from it: a sinc with a Hann window. Samples beyond the ends
    are the first and the last one. A value with less than half of its weight on samples that are present is NaN.
    """
    half = HALF_WIDTH * rate / min(rate, RATE)  # samples
    cutoff = PASS * min(rate / 2, RATE / 2) / rate  # cycles a sample
    reach = int(np.ceil(half))
    out = np.empty((len(y), len(r), length), np.float32)
    missing = np.isnan(y)
    filled = np.where(missing, 0, y)
    for first in range(0, len(r), 256):
        centre = np.asarray(r, np.float64)[first:first + 256, None] + (np.arange(length) - before) * (rate / RATE)
        whole = np.floor(centre).astype(np.int64)
        index = whole[..., None] + np.arange(-reach, reach + 2)
        distance = index - centre[..., None]
        weight = np.sinc(2 * cutoff * distance) * (0.5 + 0.5 * np.cos(np.pi * distance / half))
        weight = np.where(np.abs(distance) < half, weight, 0)
        index = np.clip(index, 0, y.shape[1] - 1)
        for lead in range(len(y)):
            kept = np.where(missing[lead, index], 0, weight)
            total = kept.sum(-1)
            enough = total >= 0.5 * weight.sum(-1)
            value = (kept * filled[lead, index]).sum(-1) / np.where(enough, total, 1)
            out[lead, first:first + 256] = np.where(enough, value, np.nan)
    return out


def fill(windows):
    """Replaces values without samples by the window's median, or by 0 in a window without any."""
    gaps = np.isnan(windows)
    for place in np.argwhere(gaps.any(-1)):
        row = windows[tuple(place)]
        present = row[~np.isnan(row)]
        row[np.isnan(row)] = median(present) if len(present) else 0
    return windows


def same_template(windows, least=0.9, reach=AVERAGE_REACH):
    """Returns [beats, 2 reach + 1]: which neighbours have the same template, by correlation of the QRS in all leads.

    The C++ stage compares the labels of the templates instead.
    """
    leads, beats, _ = windows.shape
    middle = windows[:, :, R_INDEX - 30:R_INDEX + 31].astype(np.float64)
    middle = middle - middle.mean(-1, keepdims=True)
    middle /= middle.std((1, 2), keepdims=True) + 1e-9
    flat = middle.transpose(1, 0, 2).reshape(beats, -1)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True) + 1e-9
    neighbour = np.arange(beats)[:, None] + np.arange(-reach, reach + 1)
    inside = (neighbour >= 0) & (neighbour < beats)
    neighbour = np.clip(neighbour, 0, beats - 1)
    correlation = np.stack([(flat * flat[neighbour[:, k]]).sum(1) for k in range(neighbour.shape[1])], axis=1)
    same = inside & (correlation > least)
    same[:, reach] = True
    return same


def local_averages(windows, same, before=R_INDEX):
    """Returns the median of the beats of the same template, each less its median over the net's 320 values."""
    leads, beats, length = windows.shape
    net = slice(before - R_INDEX, before - R_INDEX + LENGTH)
    level = windows - median(windows[:, :, net], keepdims=True)
    reach = same.shape[1] // 2
    counts = same.sum(1)
    out = level.copy()
    for first in range(0, beats, 128):
        rows = np.arange(first, min(beats, first + 128))
        neighbour = np.clip(rows[:, None] + np.arange(-reach, reach + 1), 0, beats - 1)
        for lead in range(leads):
            stack = np.where(same[rows][..., None], level[lead, neighbour], np.inf).transpose(0, 2, 1)
            stack = np.sort(np.ascontiguousarray(stack), axis=-1)
            at = lambda k: np.take_along_axis(stack, np.broadcast_to(k[rows, None, None], stack.shape[:2] + (1,)), 2)
            middle = (at((counts - 1) // 2) + at(counts // 2))[..., 0] / 2
            out[lead, rows] = np.where((counts[rows] >= LEAST_AVERAGED)[:, None], middle, level[lead, rows])
    return out


def heights(averages):
    """Returns the greatest |x - median| within 80 ms of R of windows [..., 320]."""
    middle = averages[..., R_INDEX - HEIGHT_REACH:R_INDEX + HEIGHT_REACH + 1]
    return np.maximum(np.abs(middle - median(averages, keepdims=True)).max(-1), LEAST_HEIGHT)


def marks(*positions):
    """Returns triangles [..., 320] at positions in values, arrays of one shape."""
    k = np.arange(LENGTH)
    return sum(np.clip(1 - np.abs(k - np.asarray(at)[..., None]) / MARK_HALF_WIDTH, 0, None) for at in positions)


def net_input(windows, height, mark):
    """Returns the net's input [..., 2, 320] of windows [..., 320], their heights [...] and marks [..., 320]."""
    scaled = np.arcsinh(10 * (windows - median(windows, keepdims=True)) / height[..., None]) / 3
    return np.stack([scaled, np.broadcast_to(mark, scaled.shape)], axis=-2).astype(np.float32)


def intervals(r, rate):
    """Returns the distances to the R before and after in values, FAR where there is none."""
    between = np.diff(r) * RATE / rate
    return np.concatenate([[FAR], between]), np.concatenate([between, [FAR]])


def refine(y, rate, r, reach=20):
    """Moves positions r to the fit with the beats' median QRS, all leads together, and this to the median's apex.

    Only for annotations, which some sets place at the onset or beside the apex. Detections are at the apex.
    """
    r = np.asarray(r, np.float64)
    if len(r) < 3:
        return r
    half, beats = 30, np.arange(len(r))
    for _ in range(3):
        windows = fill(cut(y, rate, r, half + reach, 2 * (half + reach) + 1)).astype(np.float64)
        windows /= windows.std((1, 2), keepdims=True) + 1e-9
        middle = np.median(windows[:, :, reach:-reach], axis=1, keepdims=True)
        middle -= middle.mean(-1, keepdims=True)
        fits = []
        for shift in range(2 * reach + 1):
            part = windows[:, :, shift:shift + 2 * half + 1]
            part = part - part.mean(-1, keepdims=True)
            fits.append((part * middle).sum((0, 2)) / np.sqrt((part ** 2).sum((0, 2)) * (middle ** 2).sum() + 1e-9))
        fit = np.stack(fits)
        best = fit.argmax(0)
        good = (fit.max(0) > 0.85) & (best > 0) & (best < 2 * reach)
        near = np.clip(best, 1, 2 * reach - 1)
        left, top, right = fit[near - 1, beats], fit[near, beats], fit[near + 1, beats]
        shift = near - reach + np.clip(0.5 * (left - right) / (left - 2 * top + right - 1e-12), -0.5, 0.5)
        if good.any():
            r = r + np.where(good, shift - np.median(shift[good]), 0) * rate / RATE
    middle = np.median(fill(cut(y, rate, r, 25, 51)), axis=1)
    apex = np.abs(middle - median(middle, keepdims=True)).sum(0).argmax() - 25
    return r + apex * rate / RATE
