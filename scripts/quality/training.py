"""Trains the forest of blocks on weighted groups of examples, and calibrates its probabilities."""
from dataclasses import dataclass

import numpy as np

from quality import features, forest, made
from quality.examples import COLUMNS, KINDS, REAL
from quality.made import GOOD, LOST, NOISE

MAIN = ("ds1", "svdb", "qtdb")  # long records, whose examples are mostly synthetic
DEPTH, ROUNDS = 3, 63
OPTIONS = {"learning_rate": 0.25, "min_data_in_leaf": 200, "lambda_l2": 5.0, "feature_fraction": 0.7}
RATIO_WEIGHT = {"electrode": 1.6, "movement": 0.6, "muscle": 1.2, "mains": 0.5}
OTHER_WEIGHT = 0.35  # of synthetic examples in the other sets


@dataclass
class Rows:
    """Examples of all records."""
    x: np.ndarray  # float32 [rows, features]
    columns: np.ndarray  # float32 [rows, COLUMNS]
    set: np.ndarray  # [rows] names
    record: np.ndarray  # [rows] numbers
    fold: np.ndarray

    def __getattr__(self, name):
        if name not in COLUMNS:
            raise AttributeError(name)
        return self.columns[:, COLUMNS.index(name)]

    def is_kind(self, *names):
        return np.isin(self.kind, [KINDS.index(name) for name in names])

    def chosen(self, mask):
        return Rows(self.x[mask], self.columns[mask], self.set[mask], self.record[mask], self.fold[mask])


def groups(rows):
    """Yields the weighted groups of training: rows, weight of each row, class, and the group's weight."""
    main, used = np.isin(rows.set, MAIN), (rows.mode != REAL) | ~np.isin(rows.set, MAIN)
    used &= rows.set != "cinc2011"
    ratio, clean = rows.is_kind(*made.BY_RATIO), rows.kind == 0
    one = np.ones(len(rows.x))
    made_good = rows.is_kind("vf", "vt", "pacing")
    good = used & (rows.label == GOOD) & ~ratio & ~made_good
    wide = (rows.beats > 0) & (rows.ventricular >= 0.5)
    rhythm = np.maximum(np.maximum(rows.vf, rows.vt), rows.ivr) >= 0.9
    for kind, weight in (("vf", 1.0), ("vt", 0.6), ("pacing", 0.3)):
        yield used & rows.is_kind(kind) & (rows.label == GOOD), one, GOOD, weight
    yield good & main & ~wide, one, GOOD, 4.0
    yield good & main & wide, one, GOOD, 1.2
    for name, plain, special in (("cudb", 0.3, 1.2), ("irhythm", 0.6, 0.4), ("tele", 0.8, 0), ("ludb", 0.6, 0),
                                 ("twelve", 0.6, 0)):
        yield good & (rows.set == name) & ~rhythm, one, GOOD, plain
        yield good & (rows.set == name) & rhythm, one, GOOD, special
    for name in ("tele", "irhythm"):
        yield used & (rows.label == NOISE) & clean & (rows.set == name), one, NOISE, 0.7
    for name in ("ds1", "svdb"):
        yield (rows.mode == REAL) & (rows.lead_noise >= 0.5) & (rows.set == name), one, NOISE, 0.4
    share = made.noise_share(rows.ratio)
    for source, factor in ((main, 1.0), (~main, OTHER_WEIGHT)):
        for kind, weight in RATIO_WEIGHT.items():
            here = used & source & rows.is_kind(kind)
            yield here & (share > 0), share, NOISE, factor * weight
            yield here & (share < 1) & (rows.label == GOOD), 1 - share, GOOD, factor * weight / 2
        yield used & source & rows.is_kind("pops") & (rows.label == NOISE), one, NOISE, factor * 0.4
        for kind, weight in (("off", 1.0), ("clip", 0.5), ("fill", 0.7)):
            yield used & source & rows.is_kind(kind) & (rows.label == LOST), one, LOST, factor * weight


def train_blocks(rows, allowed, columns=None, depth=DEPTH, rounds=ROUNDS, **options):
    """Trains a forest of three classes on the allowed rows, with some features or all."""
    index, label, weight = [], [], []
    for mask, amount, of_class, total in groups(rows):
        here = np.flatnonzero(mask & allowed)
        if len(here) and total > 0:
            index.append(here)
            label.append(np.full(len(here), of_class))
            weight.append(amount[here] * total / amount[here].sum())
    index, label, weight = map(np.concatenate, (index, label, weight))
    x = rows.x[index][:, :features.OF_QUALITY] if columns is None else rows.x[index][:, columns]
    return forest.train(x, label, weight / weight.mean(), 3, depth, rounds, **{**OPTIONS, **options})


def logit(p):
    p = np.clip(p, 1e-9, 1 - 1e-9)
    return np.clip(np.log(p / (1 - p)), -16, 16)


def calibrated(p, calibration):
    """Returns probabilities [rows, 3] whose log odds of good are scaled and shifted; the others keep their ratio."""
    good = forest.sigmoid(calibration["scale"] * logit(p[..., 0]) + calibration["offset"])
    rest = (1 - good) / np.maximum(p[..., 1] + p[..., 2], 1e-12)
    return np.stack([good, p[..., 1] * rest, p[..., 2] * rest], axis=-1)


def fit_calibration(p_good, good, weight):
    """Fits scale and offset by weighted maximum likelihood (Newton's method)."""
    z = np.stack([logit(p_good), np.ones(len(p_good))], axis=1)
    at = np.array([1.0, 0.0])
    for _ in range(50):
        q = forest.sigmoid(z @ at)
        gradient = z.T @ (weight * (good - q))
        curvature = (z * (weight * q * (1 - q))[:, None]).T @ z
        at = at + np.linalg.solve(curvature, gradient)
    return {"scale": round(float(at[0]), 5), "offset": round(float(at[1]), 5)}
