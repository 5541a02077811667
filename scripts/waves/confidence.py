"""The confidence of each wave: the probability that the reference has a wave where one was detected.

A logistic regression for each of P, QRS and T on a few inputs that are known of a beat over its leads. docs/waves.md
specifies the inputs; these functions are the reference for the C++ stage. A beat in which the wave was not found has no
confidence.
"""
import numpy as np

from waves.amplitudes import p_similarity, tq_activity, wave_amplitudes
from waves.data import P, QRS, T
from waves.decode import fuse
from waves.examples import NET
from waves.windows import FAR, LENGTH, R_INDEX

PLACES = 16  # samples of a mask within a wave
REACH = 8  # beats on either side
LEAST = 0.5  # P waves with a lower confidence are removed
CONSTANTS = {"places": PLACES, "reach": REACH, "least_p": LEAST}
NAMES = {
    P: ("single_mask", "neighbour_masks", "amplitude_to_tq", "similarity"),
    QRS: ("average_mask", "low_amplitude", "rr_to_neighbours"),
    T: ("average_mask", "low_amplitude", "amplitude_to_tq"),
}


def mask_levels(masks, fiducials):
    """Returns the mean of each wave's mask [leads, beats, 3] at 16 places from its onset to its offset, interpolated.

    masks [leads, beats, 3, 320]; fiducials [leads, beats, 9] of local averages; NaN without a wave.
    """
    on, off = fiducials[..., 0::3] + R_INDEX, fiducials[..., 2::3] + R_INDEX
    there = ~np.isnan(on)
    part = (np.arange(PLACES) + 0.5) / PLACES
    place = np.nan_to_num(on)[..., None] + np.nan_to_num(off - on)[..., None] * part
    place = np.clip(place, 0, LENGTH - 1)
    below = np.minimum(place.astype(int), LENGTH - 2)
    a, b = np.take_along_axis(masks, below, -1), np.take_along_axis(masks, below + 1, -1)
    return np.where(there, (a + (place - below) * (b - a)).mean(-1), np.nan)


def mean_of(values, there):
    """Returns the mean over axis 0 of the values other than NaN, NaN without any."""
    count = there.sum(0)
    return np.where(count > 0, np.where(there, values, 0).sum(0) / np.maximum(count, 1), np.nan)


def log_ratio(amplitudes, activity):
    """Returns ln of the root mean square ratio of amplitudes to activities [leads, beats], over leads with both."""
    both = ~np.isnan(amplitudes) & ~np.isnan(activity)
    up, down = (np.where(both, values, 0) ** 2 for values in (amplitudes, activity))
    usable = both.any(0) & (up.sum(0) > 0) & (down.sum(0) > 0)
    return np.where(usable, 0.5 * np.log(np.where(usable, up.sum(0), 1) / np.where(usable, down.sum(0), 1)), np.nan)


def neighbours(values):
    """Returns [beats, 2 REACH] values of the beats around each beat, NaN beyond the ends."""
    padded = np.pad(np.asarray(values, np.float64), REACH, constant_values=np.nan)
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * REACH + 1)
    return np.delete(around, REACH, axis=1)


def mean_around(values, itself=False):
    """Returns the mean over the neighbours, and the beat itself if requested, that have a value; NaN without any."""
    around = np.column_stack([neighbours(values), values]) if itself else neighbours(values)
    known = ~np.isnan(around)
    return np.where(known.any(1), np.where(known, around, 0).sum(1) / np.maximum(known.sum(1), 1), np.nan)


def inputs_of(outcome, leads):
    """Returns the fused fiducials [beats, 9] and {wave: inputs [beats, inputs]} of a recording of some leads.

    An input that a beat lacks is NaN.
    """
    windows, f = outcome.windows, outcome.averaged[leads]
    fused = fuse(f) if len(leads) > 1 else f[0]
    found = ~np.isnan(fused[:, 0::3])
    single = windows.single[leads][..., NET].astype(np.float64)
    average = windows.average[leads][..., NET].astype(np.float64)
    of_average, of_single = mask_levels(outcome.average[leads], f), mask_levels(outcome.single[leads], f)
    there = ~np.isnan(f[..., 0::3])
    level = lambda levels, wave: mean_of(levels[..., wave], there[..., wave])
    amplitudes = np.stack([wave_amplitudes(lead, own, fused) for lead, own in zip(average, f)])
    activity = np.stack([tq_activity(lead, windows.rr_before, own, fused) for lead, own in zip(single, f)])
    height = np.log(windows.height[leads].astype(np.float64)).mean(0)
    low_amplitude = np.minimum(height - mean_around(height), 0)
    before, after = (np.where(rr < FAR, rr, np.nan) for rr in (windows.rr_before, windows.rr_after))
    p_level = np.where(found[:, P], level(of_single, P), 0)
    columns = {
        P: (p_level, mean_around(p_level, itself=True), log_ratio(amplitudes[..., 0], activity),
            p_similarity(single, fused)),
        QRS: (level(of_average, QRS), low_amplitude, np.log((before + after) / 2) - mean_around(np.log(before))),
        T: (level(of_average, T), low_amplitude, log_ratio(amplitudes[..., 1], activity)),
    }
    return fused, {wave: np.where(found[:, wave, None], np.stack(columns[wave], axis=1), np.nan) for wave in columns}


class Regression:
    """A logistic regression on standardised inputs, in which a missing input counts as its mean."""

    def __init__(self, mean, scale, weights, bias):
        self.mean, self.scale, self.weights, self.bias = mean, scale, weights, bias

    def standardised(self, x):
        return np.nan_to_num((x - self.mean) / self.scale)

    def __call__(self, x):
        """Returns the probabilities of inputs [..., inputs], NaN where all of them are missing."""
        p = 1 / (1 + np.exp(-(self.standardised(x) @ self.weights + self.bias)))
        return np.where(np.isnan(x).all(-1), np.nan, p)

    @classmethod
    def fit(cls, x, y, weight, ridge=1e-3, steps=30):
        """Fits by Newton's method. weight: of each example; ridge: penalty a unit of weight."""
        weight = weight / weight.sum()
        known = ~np.isnan(x)
        total = (known * weight[:, None]).sum(0)
        mean = np.where(known, x, 0).T @ weight / np.maximum(total, 1e-12)
        scale = np.sqrt((np.where(known, x - mean, 0) ** 2).T @ weight / np.maximum(total, 1e-12))
        scale = np.where(scale > 1e-6, scale, 1)
        out = cls(mean, scale, np.zeros(x.shape[1]), 0.0)
        z = np.column_stack([out.standardised(x), np.ones(len(x))])
        w, penalty = np.zeros(z.shape[1]), np.append(np.full(x.shape[1], ridge), 1e-9)
        for _ in range(steps):
            p = 1 / (1 + np.exp(-(z @ w)))
            slope = z.T @ (weight * (p - y)) + penalty * w
            curve = (z * (weight * p * (1 - p))[:, None]).T @ z + np.diag(penalty)
            step = np.linalg.solve(curve, slope)
            w = w - step * min(1, 5 / (np.abs(step).max() + 1e-12))
            if np.abs(step).max() < 1e-10:
                break
        out.weights, out.bias = w[:-1], float(w[-1])
        return out
