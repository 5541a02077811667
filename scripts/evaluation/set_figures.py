"""The figures of one set of records, for a variant of beatscan or another tool."""
import numpy as np

from evaluation.detection import counts_as_json, counts_of, gross, ratio
from evaluation.ranking import KINDS, RecordScores, pooled, sums
from evaluation.summary import mean_over_records, nested

COLUMNS = ("score", "baseline_score", "rhythm_score")
BETTER_BY = 0.01  # minimum advantage in average precision of rhythm alone to be listed


class SetFigures:
    def __init__(self, record_set, outcome):
        self.records, self.refused, self.seconds = record_set.records, outcome.refused, outcome.seconds
        beats = [outcome.beats[record.name] for record in self.records]
        self.counts = [counts_of(record, found["sample"]) for record, found in zip(self.records, beats)]
        self.gross = gross(self.counts)
        self.has_flutter = any(record.flutter for record in self.records)
        self.is_ranked = record_set.is_ranked and "score" in beats[0]
        if self.is_ranked:
            self.scores = [RecordScores(record, found, COLUMNS) for record, found in zip(self.records, beats)]
            self.eligible = {kind: [i for i, scores in enumerate(self.scores) if scores.is_eligible(kind)]
                             for kind in KINDS}
            self.mean, self.pooled = mean_over_records(self.scores, self.eligible), pooled(self.scores)
            self.alarms = alarms(sums(self.scores), sum(record.hours for record in self.records))

    def figure(self, i, column, kind, measure):
        """Returns a record's figure, or None if it has too few positives."""
        return self.scores[i].figures[column, kind, measure] if self.is_ranked and i in self.eligible[kind] else None

    def where_rhythm_is_better(self):
        """Returns (record's name, kind, {column: average precision}), the greatest loss first."""
        found = []
        for kind in KINDS if self.is_ranked and "rhythm_score" in self.scores[0].scores else ():
            for i in self.eligible[kind]:
                precisions = {column: self.figure(i, column, kind, "average_precision")
                              for column in self.scores[i].scores}
                if precisions["rhythm_score"] > precisions["score"] + BETTER_BY:
                    found.append((self.records[i].name, kind, precisions))
        return sorted(found, key=lambda each: each[2]["score"] - each[2]["rhythm_score"])

    def as_json(self):
        result = {"refused": self.refused, "seconds": self.seconds, "detection": counts_as_json(self.gross),
                  "records": {record.name: {"detection": counts_as_json(counts)}
                              for record, counts in zip(self.records, self.counts)}}
        if self.is_ranked:
            for record, scores in zip(self.records, self.scores):
                result["records"][record.name] |= {"beats_by_class": scores.numbers, "counts": scores.counts,
                                                   "ranking": nested(scores.figures)}
            eligible = {kind: [self.records[i].name for i in those] for kind, those in self.eligible.items()}
            result |= {"eligible": eligible,
                       "mean_over_records": nested(self.mean), "pooled": nested(self.pooled), "alarms": self.alarms,
                       "rhythm_alone_is_better": [{"record": name, "kind": kind, "average_precision": precisions}
                                                  for name, kind, precisions in self.where_rhythm_is_better()]}
        return result


def alarms(counts, hours):
    """Returns the figures of the flag at the default threshold, by hour of recording."""
    named = {"N_flagged": "normal_flagged_per_hour", "N_flagged_in_good": "normal_flagged_in_good_signal_per_hour",
             "no_beat_flagged": "no_beat_flagged_per_hour"}
    result = {name: counts[key] / hours for key, name in named.items() if key in counts}
    if "V" in counts:
        result |= {"V_flagged": ratio(counts["V_flagged"], counts["V"])}
    return result | {"V_missed": counts["V_missed"]}


def precision_of(figures, names, kind="V"):
    """Returns the mean of the score's average precision over those of the named records that have enough positives."""
    found = [figures.figure(i, "score", kind, "average_precision") for i, record in enumerate(figures.records)
             if record.name in names]
    found = [value for value in found if value is not None]
    return float(np.mean(found)) if found else None


def f1_of(figures, names, key=(150, False)):
    """Returns gross F1 of the named records."""
    return gross([counts for record, counts in zip(figures.records, figures.counts) if record.name in names])[key].f1
