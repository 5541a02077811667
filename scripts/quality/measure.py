"""Figures of the signal-quality index, with 95 % intervals by bootstrap over records."""
import numpy as np

from quality import made, recording
from quality.examples import REAL
from quality.made import GOOD, LOST, NOISE
from quality.training import MAIN

RUN_RECORDS = ("203", "205", "207")
SAMPLES = 400  # of the bootstrap


def auroc(score, positive, weight=None):
    """Returns the area under the ROC curve with weights; ties count half."""
    weight = np.ones(len(score)) if weight is None else weight
    order = np.argsort(score, kind="stable")
    score, positive, weight = score[order], positive[order], weight[order]
    group = np.concatenate([[0], np.cumsum(np.diff(score) > 0)])
    good = np.bincount(group, weight * ~positive)
    bad = np.bincount(group, weight * positive)
    below = np.cumsum(good) - good
    total = good.sum() * bad.sum()
    return float((bad * (below + good / 2)).sum() / total) if total > 0 else float("nan")


def with_interval(figure, record, seed=1):
    """Returns [value, low, high] of figure(weights), where `record` [rows] numbers the records of the rows."""
    names, number = np.unique(record, return_inverse=True)
    rng = np.random.default_rng(seed)
    drawn = [figure(np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))[number])
             for _ in range(SAMPLES)] if len(names) > 1 else []
    drawn = np.array([value for value in drawn if not np.isnan(value)])
    low, high = np.percentile(drawn, [2.5, 97.5]) if len(drawn) else (np.nan, np.nan)
    return [round(float(value), 4) for value in (figure(np.ones(len(record))), low, high)]


def area(bad, rows, good, positive):
    """Returns the AUROC of rows called bad, of those in two masks."""
    here = good | positive
    score, truth = bad[here], positive[here]
    return with_interval(lambda weight: auroc(score, truth, weight), rows.record[here])


def share(bad, rows, mask):
    """Returns the share of rows in a mask that are called bad."""
    called = bad[mask] > 0.5
    return with_interval(lambda weight: float((called * weight).sum() / max(weight.sum(), 1e-9)), rows.record[mask])


def real_area(bad, rows, name):
    """Returns the AUROC on the annotated artifacts of a set."""
    here = (rows.mode == REAL) & (rows.set == name)
    if name in ("tele", "irhythm"):
        return area(bad, rows, here & (rows.artifact == 0), here & (rows.label == NOISE))
    return area(bad, rows, here & (rows.lead_noise == 0), here & (rows.lead_noise >= 0.5))


def made_areas(bad, rows):
    """Returns the AUROC of synthetic noise against clean blocks of the same sets, and of losses."""
    main = np.isin(rows.set, MAIN) & (rows.mode != REAL)
    clean = main & (rows.kind == 0) & (rows.label == GOOD)
    out = {}
    for kind in made.BY_RATIO:
        for ratio in (0, 6, 12):
            near = main & rows.is_kind(kind) & (np.abs(rows.ratio - ratio) <= 3)
            out[f"{kind}, {ratio} dB"] = area(bad, rows, clean, near)
    for kind in ("pops", "off", "clip", "fill"):
        out[kind] = area(bad, rows, clean, main & rows.is_kind(kind) & (rows.label > 0))
    return out


def called_bad(bad, rows, names):
    """Returns the shares of good blocks that are called bad."""
    real, record = rows.mode == REAL, np.array(names)[rows.record]
    quiet = rows.lead_noise == 0
    main = np.isin(rows.set, ("ds1", "svdb")) & real & quiet
    wide = (rows.beats > 0) & (rows.ventricular >= 0.5)
    out = {"VF of cudb": share(bad, rows, real & (rows.set == "cudb") & (rows.vf >= 0.9)),
           "VT of cudb": share(bad, rows, real & (rows.set == "cudb") & (rows.vt >= 0.9) & (rows.vf == 0)),
           "the rest of cudb": share(bad, rows, real & (rows.set == "cudb") & (rows.label == GOOD)
                                     & (rows.vf == 0) & (rows.vt == 0)),
           "made VF": share(bad, rows, rows.is_kind("vf") & (rows.label == GOOD)),
           "made VT": share(bad, rows, rows.is_kind("vt") & (rows.label == GOOD)),
           "pacing spikes": share(bad, rows, rows.is_kind("pacing") & (rows.label == GOOD)),
           "runs of V of 203, 205, 207": share(bad, rows, (rows.set == "ds1") & real & np.isin(record, RUN_RECORDS)
                                               & (rows.run >= 0.5))}
    for name in RUN_RECORDS:
        for lead in (0, 1):
            out[f"runs of V of {name}, lead {lead + 1}"] = share(
                bad, rows, (rows.set == "ds1") & real & (record == name) & (rows.run >= 0.5) & (rows.lead == lead))
    for name in ("ds1", "svdb"):
        out[f"N of {name}"] = share(bad, rows, main & (rows.set == name) & (rows.ventricular == 0))
        out[f"V of {name}"] = share(bad, rows, main & (rows.set == name) & wide)
    for name in ("qtdb", "ludb", "twelve"):
        out[name] = share(bad, rows, real & (rows.set == name))
    out["VT of irhythm"] = share(bad, rows, real & (rows.set == "irhythm") & (rows.vt >= 0.9))
    return out


def reliability(p_good, good, weight, edges=(0, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1)):
    """Returns [from, to, mean P(good), share that is good, share of all] of ranges of P(good)."""
    out = []
    for low, high in zip(edges[:-1], edges[1:]):
        here = (p_good >= low) & ((p_good < high) | (high == 1))
        if here.any():
            w = weight[here]
            out.append([low, high, *[round(float(v), 3) for v in (
                (w * p_good[here]).sum() / w.sum(), (w * good[here]).sum() / w.sum(), w.sum() / weight.sum())]])
    return out


def recording_figures(x, acceptable, folds=10, repetitions=5):
    """Returns the out-of-fold AUROC and accuracy of the model of recordings, and its probabilities."""
    areas, right, mean = [], [], np.zeros(len(x))
    for repetition in range(repetitions):
        p, order = np.zeros(len(x)), np.random.default_rng(repetition).permutation(len(x))
        for fold in range(folds):
            test = order[fold::folds]
            rest = np.setdiff1d(order, test)
            trees = recording.train(x[rest], acceptable[rest])
            p[test] = 1 / (1 + np.exp(-trees.scores(x[test])[:, 0]))
        areas.append(auroc(p, acceptable))
        right.append(((p >= 0.5) == acceptable).mean())
        mean += p / repetitions
    interval = with_interval(lambda weight: auroc(mean, acceptable, weight), np.arange(len(x)))
    accuracy = with_interval(lambda weight: float((((mean >= 0.5) == acceptable) * weight).sum() / weight.sum()),
                             np.arange(len(x)))
    return {"AUROC": [round(float(np.mean(areas)), 4), *interval[1:]],
            "accuracy": [round(float(np.mean(right)), 4), *accuracy[1:]]}, mean
