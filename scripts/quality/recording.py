"""The quality of a recording as a whole: aggregates of windows of ten seconds over all leads, and their forest.

docs/quality.md has these functions in words.
"""
import numpy as np

from quality import forest
from quality.features import NAMES

WINDOW = 5  # blocks
DEPTH, ROUNDS = 2, 40
OPTIONS = {"learning_rate": 0.08, "min_data_in_leaf": 12, "lambda_l2": 3.0, "feature_fraction": 0.5}
AGGREGATES = ("bad_1", "bad_2", "bad_4", "bad_median", "bad_mean", "bad_share", "lost_1", "lost_2", "lost_share",
              "noise_1", "noise_2", "noise_mean", "worst_block", "height_most", "height_least", "baseline_1",
              "baseline_2", "baseline_4", "muscle_2", "high_2", "template_low_2", "slope_1")


def windows(blocks):
    """Returns the first block and the end of each window of five blocks. The last has up to nine."""
    count = max(1, blocks // WINDOW)
    return [(WINDOW * k, blocks if k == count - 1 else WINDOW * (k + 1)) for k in range(count)]


def place(values, rank, largest=True):
    """Returns the value of this rank, from 1, over leads; the last one if there are fewer leads."""
    ordered = np.sort(values)
    return ordered[max(len(ordered) - rank, 0)] if largest else ordered[min(rank - 1, len(ordered) - 1)]


def aggregates(features, p):
    """Returns the AGGREGATES of one window: features [leads, blocks, features], p [leads, blocks, 3]."""
    f = {name: features[..., k].astype(np.float64) for k, name in enumerate(NAMES)}
    bad, noise, lost = (1 - p[..., 0]).mean(1), p[..., 1].mean(1), p[..., 2].mean(1)
    middle = {name: np.median(f[name], axis=1) for name in ("height_mv", "muscle", "high")}
    most = {name: f[name].max(1) for name in ("baseline", "slope")}
    height = middle["height_mv"] / max(np.median(middle["height_mv"]), 1e-30)
    return np.array([
        place(bad, 1), place(bad, 2), place(bad, 4), np.median(bad), bad.mean(), (bad > 0.5).mean(),
        place(lost, 1), place(lost, 2), (lost > 0.5).mean(), place(noise, 1), place(noise, 2), noise.mean(),
        (1 - p[..., 0]).mean(0).max(), height.max(), height.min(), place(most["baseline"], 1),
        place(most["baseline"], 2), place(most["baseline"], 4), place(middle["muscle"], 2), place(middle["high"], 2),
        place(f["template"].mean(1), 2, largest=False), most["slope"].max()])


def train(x, acceptable, seed=1):
    return forest.train(x, acceptable, None, 1, DEPTH, ROUNDS, **{**OPTIONS, "seed": seed})


def acceptable(trees, features, p):
    """Returns the acceptability of a recording: the mean over its windows of the probability, 0 .. 1."""
    rows = np.stack([aggregates(features[:, first:end], p[:, first:end])
                     for first, end in windows(features.shape[1])]).astype(np.float32)
    return float(forest.sigmoid(trees.scores(rows)[:, 0]).mean())
