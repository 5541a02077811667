"""Computes the reported figures from the scores of every record under every seed.

Figures are dictionaries by (column, kind, measure), such as ("score", "V", "auroc").
"""
import numpy as np

from evaluation.bootstrap import mean_with_interval
from evaluation.ranking import COLUMNS, KINDS, MEASURES, MIN_POSITIVES, pooled, shares, sums


def median(values):
    """Returns the median of the values other than None, or None if there are none."""
    values = [value for value in values if value is not None]
    return float(np.median(values)) if values else None


def medians(dictionaries):
    """Returns the medians over the seeds, by key."""
    return {key: median(each[key] for each in dictionaries) for key in dictionaries[0]}


def mean_over_records(scores, eligible):
    """Returns the means under one seed. eligible: {kind: indices of the records that count}"""
    def mean(key):
        values = [scores[i].figures[key] for i in eligible[key[1]]]
        return float(np.mean(values)) if values else None

    return {key: mean(key) for key in scores[0].figures}


class Summary:
    def __init__(self, names, scores):
        """scores: {seed: [RecordScores of each name]}"""
        self.names, self.scores = names, scores
        by_seed = list(scores.values())
        self.columns = [column for column in COLUMNS if column in by_seed[0][0].scores]
        self.numbers = [record.numbers for record in by_seed[0]]  # {class: beats}, the same under every seed
        self.positives = [{kind: record.positives(kind) for kind in KINDS} for record in by_seed[0]]
        self.eligible = {kind: [i for i, record in enumerate(by_seed[0]) if record.is_eligible(kind)] for kind in KINDS}
        self.records = [medians([seed[i].figures for seed in by_seed]) for i in range(len(names))]
        self.record_shares = [medians([shares(seed[i].counts) for seed in by_seed]) for i in range(len(names))]
        self.mean_by_seed = {seed: mean_over_records(of_seed, self.eligible) for seed, of_seed in scores.items()}
        self.pooled_by_seed = {seed: pooled(of_seed) for seed, of_seed in scores.items()}
        self.mean = medians(list(self.mean_by_seed.values()))
        self.pooled = medians(list(self.pooled_by_seed.values()))
        self.shares = medians([shares(sums(of_seed)) for of_seed in by_seed])
        self.differences = self._differences() if len(self.columns) == len(COLUMNS) else {}

    def _differences(self):
        """Returns the bootstraps of the records' medians over the seeds. Seeds are not additional patients, so each
        record has one figure."""
        ours, baseline = COLUMNS
        return {(kind, measure): mean_with_interval([self.records[i][ours, kind, measure] -
                                                     self.records[i][baseline, kind, measure]
                                                     for i in self.eligible[kind]])
                for kind in KINDS for measure in MEASURES}

    def total_positives(self):
        return {kind: sum(positives[kind] for positives in self.positives) for kind in KINDS}

    def as_json(self):
        records = {name: {"beats_by_class": self.numbers[i], "median": nested(self.records[i]),
                          "shares": self.record_shares[i],
                          "seeds": {seed: {**nested(scores[i].figures), "counts": scores[i].counts}
                                    for seed, scores in self.scores.items()}}
                   for i, name in enumerate(self.names)}
        return {"minimum_positives": MIN_POSITIVES,
                "eligible": {kind: [self.names[i] for i in indices] for kind, indices in self.eligible.items()},
                "records": records,
                "mean_over_records": {"median": nested(self.mean), "seeds": each_nested(self.mean_by_seed)},
                "pooled": {"median": nested(self.pooled), "seeds": each_nested(self.pooled_by_seed)},
                "shares": self.shares, "score_minus_baseline": nested(self.differences)}


def nested(figures):
    """Converts {(a, b, c): value} to {a: {b: {c: value}}}."""
    result = {}
    for key, value in figures.items():
        inner = result
        for part in key[:-1]:
            inner = inner.setdefault(part, {})
        inner[key[-1]] = value
    return result


def each_nested(figures_by_seed):
    return {seed: nested(figures) for seed, figures in figures_by_seed.items()}
