"""Reference values for the test of stages/rhythm: a synthetic table and model, and the results of this code."""
import json

import numpy as np

from rhythm import decoder, features, records, training

BEATS, MADE_STATES = 60, 4


def made_table(draw, names):
    """Returns a table with missing values, rounded so that text keeps it."""
    table = draw.standard_normal((BEATS, len(names)))
    ranges = {"rr_s": (0.45, 1.5), "p_evidence": (0, 1), "pr_ms": (90, 260), "non_conducted_p": (0, 2.9)}
    for name, (least, most) in ranges.items():
        table[:, names.index(name)] = draw.uniform(least, most, BEATS)
    table[draw.random(table.shape) < 0.1] = np.nan
    rr = names.index("rr_s")
    table[:, rr] = np.where(np.isfinite(table[:, rr]), table[:, rr], 0.8)
    return np.round(table, 3).astype(np.float32)


def made_model(draw):
    wanted = []
    for place, (name, *_) in enumerate({feature[0]: feature for feature in features.FEATURES}.values()):
        wanted.append((name, list(features.STATISTICS)[place % 4], place % 6))
    number = lambda *shape: np.round(draw.standard_normal(shape), 3).astype(np.float32)
    prior = np.array([0.5, 0.25, 0.15, 0.1])
    return wanted, training.Regression(number(len(wanted)), np.abs(number(len(wanted))) + np.float32(0.5),
                                       number(MADE_STATES, len(wanted)), number(MADE_STATES), prior)


def values_of(array):
    return [None if not np.isfinite(value) else float(f"{value:.9g}") for value in np.ravel(array)]


def write(path, seed=7):
    draw = np.random.default_rng(seed)
    names = ["rr_s", *features.COLUMNS, *features.AF_COLUMNS, features.AF_ODDS]
    record = records.Record("made", "made", "made", None, 250.0, 60.0, [])
    record.names, record.table = names, made_table(draw, names)
    classes = draw.dirichlet([1, 0.5, 0.5, 0.2], BEATS).astype(np.float32)
    wanted, regression = made_model(draw)
    settings = decoder.Settings(temperature=0.4, balance=0.7, stay=0.9, prior_beats=20.0, rounds=2)
    source_prior = np.array([0.7, 0.1, 0.1, 0.1])
    log_p = regression.log_p(features.features(record, classes, wanted))
    posterior, path_of_states = decoder.decode(log_p, regression.prior, source_prior, settings)
    document = {
        "columns": names, "table": values_of(record.table), "classes": values_of(classes),
        "features": [list(feature) for feature in wanted], "mean": values_of(regression.mean),
        "deviation": values_of(regression.deviation), "weight": values_of(regression.weight),
        "intercept": values_of(regression.intercept), "training_prior": values_of(regression.prior),
        "prior": values_of(source_prior), "temperature": settings.temperature, "balance": settings.balance,
        "stay": settings.stay, "prior_beats": settings.prior_beats, "rounds": settings.rounds,
        "log_p": values_of(log_p), "posterior": values_of(posterior), "path": path_of_states.tolist(),
    }
    path.write_text(json.dumps(document) + "\n")
