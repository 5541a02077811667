"""Log probabilities of rhythms at each beat: multinomial logistic regression over standardised features.

A missing feature counts as the mean. Tables with intervals only have their own regression.
"""
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from rhythm.records import STATES, UNKNOWN, edges_of

MOST = 4.0  # standardised features are clipped to this range
RECORD_S = 30.0  # total weight of a record of a set, at most of each of its rhythms
STRENGTH = 0.015  # of the weights, relative to their penalty
SET_WEIGHT = {"irhythm": 1.0, "ds1": 1.0, "cpsc2021": 1.0, "twelve": 0.5, "ludb": 0.5, "svdb": 0.6, "qtdb": 0.3,
              "cudb": 0.2, "tele": 0.1, "afdb": 10.0}
MOST_BEATS = 120  # training beats of a rhythm of a record


@dataclass
class Regression:
    mean: np.ndarray  # [F]
    deviation: np.ndarray  # [F]
    weight: np.ndarray  # [states, F]
    intercept: np.ndarray  # [states]
    prior: np.ndarray  # [states] in training

    def log_p(self, x):
        """Returns log probabilities, [K, states]."""
        raw = standardised(x, self.mean, self.deviation) @ self.weight.T + self.intercept
        raw -= raw.max(1, keepdims=True)
        return raw - np.log(np.exp(raw).sum(1, keepdims=True))


def standardised(x, mean, deviation):
    with np.errstate(invalid="ignore"):
        z = (x - mean) / deviation
    return np.clip(np.where(np.isfinite(z), z, 0), -MOST, MOST)


def rows_of(records, features, most_beats):
    """Returns the inputs, labels and weights of the training beats.

    Of each rhythm of a record at most `most_beats` are used, with its duration as weight, RECORD_S at most. If single
    readers labelled the record as well, their labels count as much as those of the committee.
    """
    x, y, w = [], [], []
    for record, of in zip(records, features):
        seconds = np.minimum(np.diff(edges_of(record)), 3)
        readers = len(record.reader_labels)
        for labels, share in [(record.label, 1)] + [(labels, 1 / readers) for labels in record.reader_labels]:
            for state in np.unique(labels[labels != UNKNOWN]):
                own = np.flatnonzero(labels == state)
                total = min(seconds[own].sum(), RECORD_S) * share * SET_WEIGHT.get(record.set, 1.0)
                own = own[np.linspace(0, len(own) - 1, min(len(own), most_beats)).astype(int)]
                x.append(of[own]), y.append(np.full(len(own), state)), w.append(np.full(len(own), total / len(own)))
    return np.concatenate(x), np.concatenate(y), np.concatenate(w)


def fit(records, features, strength=STRENGTH, most_beats=MOST_BEATS):
    x, y, w = rows_of(records, features, most_beats)
    with np.errstate(invalid="ignore"):
        mean, deviation = np.nanmean(x, 0), np.nanstd(x, 0)
    mean, deviation = np.nan_to_num(mean), np.where(deviation > 1e-6, deviation, 1)
    model = LogisticRegression(C=strength, max_iter=300, tol=1e-4)
    model.fit(standardised(x, mean, deviation), y, sample_weight=w)
    weight, intercept = np.zeros((len(STATES), x.shape[1])), np.full(len(STATES), -12.0)
    weight[model.classes_], intercept[model.classes_] = model.coef_, model.intercept_
    prior = np.bincount(y, w, len(STATES)) / w.sum()
    return Regression(mean.astype(np.float32), deviation.astype(np.float32), weight.astype(np.float32),
                      intercept.astype(np.float32), np.maximum(prior, 1e-5))


def out_of_fold(records, features, **options):
    """Returns (log probabilities, training prior) of each record by a model trained without its fold."""
    found = [None] * len(records)
    for fold in sorted({record.fold for record in records}):
        others = [k for k, record in enumerate(records) if record.fold != fold]
        model = fit([records[k] for k in others], [features[k] for k in others], **options)
        for k, record in enumerate(records):
            if record.fold == fold:
                found[k] = (model.log_p(features[k]), model.prior)
    return found
