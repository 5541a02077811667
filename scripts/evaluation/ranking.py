"""Measures how well scores rank abnormal reference beats above normal ones, and the quality of the program's flag."""
import numpy as np
from scipy.stats import rankdata

from evaluation.detection import match, ratio, tolerance_in_samples

TOLERANCE_MS = 150
KINDS = {"V": ("V",), "SVF": ("S", "V", "F")}  # positives; negatives are class N
COLUMNS = ("score", "baseline_score")
MIN_POSITIVES = 10  # with fewer, a record's figure depends mostly on chance


def auroc(positives, negatives):
    """Returns the share of pairs in which the positive beat ranks higher; a tie counts half."""
    p, n = len(positives), len(negatives)
    if not p or not n:
        return None
    ranks = rankdata(np.concatenate([positives, negatives]))
    return float((ranks[:p].sum() - p * (p + 1) / 2) / p / n)


def average_precision(positives, negatives):
    """Returns the precision at every distinct score, weighted by the recall gained there, as scikit-learn defines
    it."""
    if not len(positives):
        return None
    scores = np.concatenate([positives, negatives])
    order = np.argsort(-scores, kind="stable")
    scores, found = scores[order], np.cumsum(order < len(positives))
    # Scores are compared, not subtracted, because -inf - -inf is NaN.
    ends = np.flatnonzero(np.append(scores[1:] != scores[:-1], True))
    gained = np.diff(found[ends], prepend=0)
    return float((gained * found[ends] / (ends + 1)).sum() / len(positives))


MEASURES = {"auroc": auroc, "average_precision": average_precision}


def of_reference_beats(values, matched, otherwise):
    """Returns a column of beats.csv by reference beat, with `otherwise` for a beat that was not detected or has no
    value."""
    result = np.full(len(matched), otherwise, dtype=np.float64)
    found = matched >= 0
    result[found] = values[matched[found]]
    return np.where(np.isnan(result), otherwise, result)


def figures(scores_by_column, classes):
    """Returns {(column, kind, measure): value} for reference beats with those classes."""
    result = {}
    for column, scores in scores_by_column.items():
        for kind, positive in KINDS.items():
            for measure, function in MEASURES.items():
                result[column, kind, measure] = function(scores[np.isin(classes, positive)], scores[classes == "N"])
    return result


class RecordScores:
    """One record under one seed: its scores by reference beat, and the counts from which shares are computed."""

    def __init__(self, record, beats, columns=COLUMNS):
        matched = match(record.samples, beats["sample"], tolerance_in_samples(TOLERANCE_MS, record.rate))
        self.classes = record.classes
        self.numbers = {name: int((record.classes == name).sum()) for name in "NSVFQ"}
        self.scores = {column: of_reference_beats(beats[column], matched, -np.inf) for column in columns
                       if column in beats}
        self.figures = figures(self.scores, self.classes)
        self.counts = {"found": int((matched >= 0).sum()), "detected": len(beats["sample"]),
                       "V_missed": int(((matched < 0) & (self.classes == "V")).sum())}
        if "score" in beats:
            self.counts["scored"] = int(np.isfinite(self.scores["score"]).sum())
        if "kept" in beats:
            self.counts["kept"] = int((beats["kept"] == 1).sum())
        if "quality" in beats:
            self.counts["good"] = int((beats["quality"] == "good").sum())
        if "anomalous" in beats:
            self._count_flags(record, matched, beats)

    def _count_flags(self, record, matched, beats):
        flags = beats["anomalous"] == 1
        flagged = of_reference_beats(beats["anomalous"], matched, 0) == 1
        for name in "NV":
            self.counts[name] = self.numbers[name]
            self.counts[f"{name}_flagged"] = int((flagged & (self.classes == name)).sum())
        self.counts["all_flagged"] = int(flags.sum())  # beats of any class, and false detections
        # Flagging flutter as abnormal is correct, and in an artifact no beats are annotated.
        no_beat = ~record.in_flutter(beats["sample"]) & ~record.in_artefact(beats["sample"])
        no_beat[matched[matched >= 0]] = False
        self.counts["no_beat_flagged"] = int((flags & no_beat).sum())
        if "quality" in beats:
            in_good = of_reference_beats((flags & (beats["quality"] == "good")).astype(np.float64), matched, 0) == 1
            self.counts["N_flagged_in_good"] = int((in_good & (self.classes == "N")).sum())

    def positives(self, kind):
        return sum(self.numbers[name] for name in KINDS[kind])

    def is_eligible(self, kind):
        """Returns whether the record has enough positives for its own figure."""
        return self.positives(kind) >= MIN_POSITIVES and self.numbers["N"] > 0


def pooled(scores):
    """Returns the figures of all records' beats pooled, under one seed."""
    together = {column: np.concatenate([record.scores[column] for record in scores]) for column in scores[0].scores}
    return figures(together, np.concatenate([record.classes for record in scores]))


def sums(scores):
    return {key: sum(record.counts[key] for record in scores) for key in scores[0].counts}


def shares(counts):
    """Returns the shares of one record's counts, or of sums of counts. A column that beats.csv lacks has no share."""
    result = {}
    if "scored" in counts:
        result["coverage"] = ratio(counts["scored"], counts["found"])
    if "kept" in counts:
        result["kept"] = ratio(counts["kept"], counts["detected"])
    if "good" in counts:
        result["good"] = ratio(counts["good"], counts["detected"])
    if "N" in counts:
        result["false_alarms_per_200"] = ratio(200 * counts["N_flagged"], counts["N"])
        result["v_sensitivity"] = ratio(counts["V_flagged"], counts["V"])
    return result
