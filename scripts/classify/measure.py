"""Figures of beat classes, counted as AAMI EC57 requires, with intervals by patient."""
import numpy as np

from sklearn.metrics import average_precision_score

from classify.records import FUSION, OTHER, N, S, V, X

LEARNED_WEIGHT, LEAST_ODDS, MOST_ODDS, NEUTRAL_ODDS = 3, -3, 9, -2  # from stages/score/score.h
IGNORED = {V: (FUSION, OTHER), S: (OTHER,)}  # reference classes whose classification as V or S is no error


def counts(record, classes, wanted):
    """Returns true positives, false positives and misses of a class in a record."""
    found = np.full(len(record.reference), X)
    met = record.match >= 0
    found[met] = classes[record.match[met]]
    is_wanted = record.reference_class == wanted
    hits = (is_wanted & (found == wanted)).sum()
    false = ((classes == wanted) & (record.label != wanted) & ~np.isin(record.label, IGNORED[wanted])).sum()
    return np.array([hits, false, is_wanted.sum() - hits])


def f1(c):
    return 2 * c[..., 0] / np.maximum(2 * c[..., 0] + c[..., 1] + c[..., 2], 1)


def gross(records, classes, wanted, draws=1000):
    """Returns gross F1, its 95 % interval by patient, mean F1 of records with ten such beats, and the counts."""
    each = np.array([counts(r, k, wanted) for r, k in zip(records, classes)])
    patients = sorted({r.patient for r in records})
    by_patient = np.array([sum(c for r, c in zip(records, each) if r.patient == p) for p in patients])
    draw = np.random.default_rng(1).integers(0, len(patients), (draws, len(patients)))
    low, high = np.quantile(f1(by_patient[draw].sum(1)), (0.025, 0.975))
    some = each[each[:, 0] + each[:, 2] >= 10]
    return {"f1": float(f1(each.sum(0))), "low": float(low), "high": float(high),
            "mean": float(f1(some).mean()) if len(some) else float("nan"), "records": len(some),
            "counts": each.sum(0).tolist()}


def false_rate(records, classes, wanted):
    """Returns the false detections of a class an hour in records without a beat of it."""
    none = [(r, k) for r, k in zip(records, classes) if not (r.reference_class == wanted).any()]
    hours = sum(r.reference[-1] / r.rate / 3600 for r, _ in none if len(r.reference))
    return sum(int(counts(r, k, wanted)[1]) for r, k in none) / hours if hours else float("nan")


def known_text(records, classes):
    """Returns how often detections whose class is known without beat annotations (weak.py) are misclassified."""
    hours = sum(float(r.table[r.label == N, r.names.index("rr_s")].sum()) for r in records) / 3600
    label, found = np.concatenate([r.label for r in records]), np.concatenate(classes)
    beats, artifacts = found[label == N], found[label == X]
    text = f"{len(beats)} N, {hours:.2f} h: " + ", ".join(
        f"{(beats == c).sum()} {name}" for name, c in (("S", S), ("V", V), ("X", X)))
    return text + (f"; {len(artifacts)} X: {(artifacts == X).sum()} found, {(artifacts == V).sum()} V"
                   if len(artifacts) else "")


def calibration(records, posteriors, wanted, edges=(0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1)):
    """Returns rows of mean posterior, share of beats of the class, and number of beats."""
    p = np.concatenate([q[:, wanted] for q in posteriors])
    label = np.concatenate([r.label for r in records])
    p, is_wanted = p[label != OTHER], (label == wanted)[label != OTHER]
    part = np.digitize(p, edges[1:-1])
    return [[float(p[part == k].mean()), float(is_wanted[part == k].mean()), int((part == k).sum())]
            for k in range(len(edges) - 1) if (part == k).any()]


def learned_score(posteriors):
    """Returns the contribution of the classes to the score, as in stages/score/score.h."""
    p = np.maximum(posteriors, 1e-12)
    odds = np.log(p[:, S] + p[:, V]) - np.log(p[:, N] + p[:, X])
    return LEARNED_WEIGHT * (np.clip(odds, LEAST_ODDS, MOST_ODDS) - NEUTRAL_ODDS)


def ranking(records, posteriors):
    """Returns the average precision of reference beats of S, V and F, and of V alone, against N: by the score without
    the classes, and by the score with these posteriors. A missed beat ranks last."""
    def of_reference(record, values):
        found = np.where(record.match >= 0, values[record.match], -np.inf)
        return np.maximum(np.nan_to_num(found, nan=-np.inf, neginf=-1e9), -1e9)

    kind = np.concatenate([r.reference_class for r in records])
    alone = [r.unsupervised for r in records]
    both = [values + learned_score(p) for values, p in zip(alone, posteriors)]
    found = []
    for positive in ((S, V, FUSION), (V,)):
        some = np.isin(kind, (N, *positive))
        for values in (alone, both):
            scores = np.concatenate([of_reference(r, v) for r, v in zip(records, values)])
            found.append(float(average_precision_score(np.isin(kind, positive)[some], scores[some])))
    return found


def text(title, rows):
    lines = [title]
    for name, of in rows.items():
        lines.append(f"  {name:34s} " + "   ".join(
            f"{label} {v['f1']:.3f} [{v['low']:.3f}, {v['high']:.3f}] mean {v['mean']:.3f} "
            f"({'/'.join(map(str, v['counts']))})" for label, v in of.items()))
    return "\n".join(lines)
