"""Small boosted trees over the beat table, in rounds.

A round sees the table and, from the second on, features of the previous round's posteriors: which beats are excluded
from the reference RR interval (V and X), the odds of the neighbouring beats, of the template's beats, and the shares of
classes nearby and in the whole recording.

There are two series of rounds. The one with noisy copies (`noise`) separates V and X from the rest. The other, without
copies (`clean`), reads fewer columns and separates S from N.
"""
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fnmatch import fnmatch

import lightgbm
import numpy as np

from classify import intervals
from classify.records import FUSION, N, OTHER, S, V, X

SERIES = ("noise", "clean")
# A column that is not a measurement, and signal quality, which did not improve held-out classes.
LEFT_OUT = ("template", "quality_*")
# S and N are separated only by intervals relative to the accepted reference, and without the net's evidence of P waves,
# which misses P waves within T waves. Measures of the whole recording are omitted: too few people to learn from.
CLEAN_LEFT_OUT = ("rr_s", "rr_median_s", "rr_recording*", "rr_rank", "rr_local*", "rr_next_local*", "rr_q25", "rr_q75",
                  "rr_q90", "rr_mean*", "rr_pair", "rr_before*", "rr_after*", "premature_share*", "p_evidence*", "pr_*",
                  "p_similarity", "non_conducted*", "qt_ratio", "has_t", "tq_activity", "t_to_r_s", "rhythm_score",
                  "baseline_score", "qrs_height_mv")
CONTEXT = ("s_odds_before2", "v_odds_before2", "s_odds_before1", "v_odds_before1", "s_odds_after1", "v_odds_after1",
           "s_odds_after2", "v_odds_after2", "s_share_local", "v_share_local", "s_share", "v_share", "x_share_local",
           "v_odds_template", "s_odds_template")
MOST_ODDS = 9.0
MANY_BEATS = 50_000
FEW_BEATS = 300  # of a recording: with fewer, all of its N beats are training examples
PARAMETERS = {"objective": "multiclass", "num_class": 4, "learning_rate": 0.1, "num_leaves": 6, "min_child_samples": 60,
              "feature_fraction": 0.4, "lambda_l2": 20.0, "max_bin": 63, "verbose": -1, "deterministic": True,
              "force_row_wise": True, "min_sum_hessian_in_leaf": 1.0}


@dataclass
class Options:
    trees: int = 100  # of each class and round
    rounds: int = 2
    seed: int = 1
    jobs: int = 1  # threads, each of which fits a model
    normal_share: float = 0.07  # share of N beats for training, weighted up, with MANY_BEATS or more
    weak_weight: float = 3.0  # of records without beat classes, see weak.py
    weak_artifact: float = 0.3  # additional factor for their artifacts
    noisy_weight: float = 1.0  # of copies with synthetic noise; 0: not used for training
    af_weight: float = 0.4  # series `clean`: reduction of the odds of S in atrial fibrillation, see odds_of
    leave_out: tuple = ()  # name patterns of further excluded columns


def series_options(options, name):
    """Returns the options of one of SERIES."""
    if name == "clean":
        return replace(options, leave_out=options.leave_out + CLEAN_LEFT_OUT, noisy_weight=0)
    return replace(options, af_weight=0)


def input_names(names, options, later):
    """Returns the columns that a round reads."""
    without = [name for name in names if not any(fnmatch(name, p) for p in LEFT_OUT + tuple(options.leave_out))]
    return without + (list(CONTEXT) if later else [])


def posteriors(odds):
    """Returns [K, 4] of the log odds [K, 3] of S, V and X against N."""
    full = np.c_[np.zeros(len(odds)), odds]
    full = np.exp(full - full.max(1, keepdims=True))
    return full / full.sum(1, keepdims=True)


def means_around(values, reach):
    sums = np.r_[0, np.cumsum(values)]
    i = np.arange(len(values))
    first, last = np.maximum(i - reach, 0), np.minimum(i + reach + 1, len(values))
    return (sums[last] - sums[first]) / (last - first)


def neighbour(values, by):
    return values[np.clip(np.arange(len(values)) + by, 0, len(values) - 1)]


def template_means(values, templates):
    known = np.isfinite(templates)
    found = values.astype(float).copy()
    number = templates[known].astype(int)
    if len(number):
        counts = np.bincount(number)
        found[known] = (np.bincount(number, values[known]) / np.maximum(counts, 1))[number]
    return found


def context(odds, templates):
    """Returns the columns CONTEXT, [K, 15]."""
    p = posteriors(odds)
    found = [neighbour(odds[:, c], by) for by in (-2, -1, 1, 2) for c in (0, 1)]
    found += [means_around(p[:, S], 10), means_around(p[:, V], 10), np.full(len(p), p[:, S].mean()),
              np.full(len(p), p[:, V].mean()), means_around(p[:, X], 10), template_means(odds[:, 1], templates),
              template_means(odds[:, 0], templates)]
    return np.stack(found, 1).astype(np.float32)


def aside_of(odds):
    """Returns the excluded beats; none if these would be most of the recording."""
    p = posteriors(odds)
    excluded = p[:, V] + p[:, X] > 0.5
    return excluded if excluded.mean() <= 0.6 else np.zeros(len(excluded), bool)


def design(record, options, odds=None):
    """Returns the inputs of a round, [K, inputs]; `odds` are those of the previous round."""
    table = record.table
    if odds is not None:
        table = table.copy()
        places = [record.names.index(name) for name in intervals.COLUMNS]
        table[:, places] = intervals.columns(table[:, record.names.index("rr_s")], aside_of(odds))
    kept = [record.names.index(name) for name in input_names(record.names, options, False)]
    inputs = table[:, kept]
    if odds is not None:
        inputs = np.c_[inputs, context(odds, record.table[:, record.names.index("template")])]
    return inputs


def weights_of(record, options):
    """Returns weights: a recording counts as at most 2,000 beats, and its abnormal beats as at most 600."""
    label = record.label
    abnormal = np.isin(label, (S, V, X)).sum()
    weight = np.full(len(label), min(1, 600 / max(abnormal, 1)) * min(1, 2000 / max(len(label), 1)), float)
    weight[label == FUSION] *= 0.3
    if record.spans is not None:
        weight *= options.weak_weight
        weight[label == X] *= options.weak_artifact
    if record.noisy:
        weight *= options.noisy_weight
    return weight


def fit(records, inputs, options, number):
    """Fits the trees of a round to the inputs of each record."""
    draw = np.random.default_rng([options.seed, number])
    share = options.normal_share if sum(len(record.label) for record in records) > MANY_BEATS else 1.0
    rows, labels, weights = [], [], []
    for record, x in zip(records, inputs):
        if record.noisy and options.noisy_weight == 0:
            continue
        of_normal = share if len(record.label) > FEW_BEATS else 1.0
        keep = (record.label != OTHER) & ((record.label != N) | (draw.random(len(record.label)) < of_normal))
        weight = np.where(record.label == N, 1 / of_normal, 1.0) * weights_of(record, options)
        rows.append(x[keep])
        labels.append(np.where(record.label == FUSION, V, record.label)[keep])
        weights.append(weight[keep])
    label, weight = np.concatenate(labels), np.concatenate(weights)
    totals = np.array([weight[label == c].sum() for c in range(4)])
    weight = weight * (totals.sum() / np.maximum(totals, 1e-9) / 4)[label] ** 0.2
    data = lightgbm.Dataset(np.concatenate(rows), label, weight=weight / weight.mean(), free_raw_data=True)
    parameters = {**PARAMETERS, "seed": options.seed * 1000 + number, "num_threads": 1}
    return lightgbm.train(parameters, data, options.trees)


def odds_of(model, record, inputs, options):
    """Returns the log odds of S, V and X against N, [K, 3].

    The odds of S are multiplied by (1 - p)^af_weight, where p is the probability of atrial fibrillation from
    intervals: the trees cannot learn from so few people that no beat is premature there.
    """
    raw = model.predict(inputs, raw_score=True, num_threads=1)
    odds = raw[:, 1:] - raw[:, :1]
    odds[:, 0] -= options.af_weight * np.logaddexp(0, record.table[:, record.names.index("af_log_odds")])
    return np.clip(odds, -MOST_ODDS, MOST_ODDS)


def train(records, options):
    """Returns the models of all rounds, and the log odds of each record after the last one.

    A round's odds of a record come from a model trained without the record's fold, and so do those that the
    next round is trained on. The returned models are trained on all records.
    """
    models, odds = [], [None] * len(records)
    folds = sorted({record.fold for record in records})
    for number in range(options.rounds):
        inputs = [design(record, options, of) for record, of in zip(records, odds)]

        def without(fold):
            kept = [k for k, record in enumerate(records) if record.fold != fold]
            model = fit([records[k] for k in kept], [inputs[k] for k in kept], options,
                        100 * number + (99 if fold is None else fold))
            others = [k for k, record in enumerate(records) if record.fold == fold]
            return model, {k: odds_of(model, records[k], inputs[k], options) for k in others}

        with ThreadPoolExecutor(options.jobs) as pool:
            found = list(pool.map(without, [*folds, None]))
        models.append(found[-1][0])
        for _, of_fold in found[:-1]:
            for k, value in of_fold.items():
                odds[k] = value
    return models, odds


def predict(models, record, options):
    """Returns the log odds of a record after the last round."""
    odds = None
    for model in models:
        odds = odds_of(model, record, design(record, options, odds), options)
    return odds


def against_rest(odds, column):
    """Returns log odds of V or X against N and S together."""
    return odds[:, column] - np.logaddexp(0, odds[:, 0])


def combined(odds):
    """Returns three log odds of each beat, [K, 3], from the odds of both series: S against N from the series `clean`, V
    and X against N and S from `noise`."""
    return np.stack([odds["clean"][:, 0], against_rest(odds["noise"], 1), against_rest(odds["noise"], 2)], 1)


def calibrated(parts, calibration):
    """Returns posteriors [K, 4] from the log odds that `combined` returns; calibration [3, 2] has slopes and
    offsets."""
    s, v, x = (parts * calibration[:, 0] + calibration[:, 1]).T
    rest = np.logaddexp(0, s)
    return posteriors(np.stack([s, v + rest, x + rest], 1))


def fit_calibration(records, parts):
    """Fits slopes and offsets by maximum likelihood, [3, 2], to out-of-fold log odds."""
    label, x = np.concatenate([r.label for r in records]), np.concatenate(parts)
    weight = np.concatenate([np.full(len(r.label), min(1, 2000 / max(len(r.label), 1))) for r in records])
    found = []
    for column, (wanted, others) in enumerate(((S, (N,)), (V, (N, S)), (X, (N, S)))):
        known = np.isin(label, (wanted, *others))
        z, y = np.c_[x[known, column], np.ones(known.sum())], label[known] == wanted
        w, at = weight[known], np.array([1.0, 0.0])
        for _ in range(30 if y.any() else 0):  # Newton's method
            q = 1 / (1 + np.exp(-z @ at))
            at = at + np.linalg.solve((z.T * (w * q * (1 - q))) @ z + 1e-6 * np.eye(2), z.T @ (w * (y - q)))
        found.append(at)
    return np.array(found)
