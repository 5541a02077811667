"""Matches detected beats with reference beats, and counts detected, missed and false beats."""
import math
from dataclasses import dataclass

import numpy as np

TOLERANCES_MS = (150, 50)


@dataclass(frozen=True)
class Counts:
    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other):
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def sensitivity(self):
        return ratio(self.tp, self.tp + self.fn)

    @property
    def ppv(self):
        return ratio(self.tp, self.tp + self.fp)

    @property
    def f1(self):
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def as_json(self):
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "sensitivity": self.sensitivity, "ppv": self.ppv,
                "f1": self.f1}


def ratio(part, whole):
    """Returns part / whole, or None if whole is 0."""
    return float(part) / float(whole) if whole else None


def tolerance_in_samples(tolerance_ms, rate):
    return math.floor(tolerance_ms * rate / 1000 + 1e-9)  # 1e-9: rounding must not lose a sample


def match(reference, detected, tolerance):
    """Returns for each reference beat the index of its detected beat, -1 where there is none. Both are in time order.

    Pairs are one to one and at most `tolerance` samples apart. Of all such pairings this is one with the most pairs,
    and of those one with the least total distance. Some best pairing never crosses, so a dynamic programme finds it: over
    (pairs, -distance) of the first i reference beats with the first j detected beats. Row i holds j from `first` to
    `last`, where detected beats [first, last) are within tolerance of beat i. Further left the beat cannot be matched;
    further right nothing more is gained.
    """
    firsts = np.searchsorted(detected, reference - tolerance, side="left").tolist()
    lasts = np.searchsorted(detected, reference + tolerance, side="right").tolist()
    detected = detected.tolist()
    rows = [(0, [(0, 0)])]
    for sample, first, last in zip(reference.tolist(), firsts, lasts):
        above = rows[-1]
        merits = [merit(above, first)]
        for j in range(first + 1, last + 1):
            pairs, nearness = merit(above, j - 1)
            with_pair = (pairs + 1, nearness - abs(detected[j - 1] - sample))
            merits.append(max(merit(above, j), merits[-1], with_pair))
        rows.append((first, merits))
    return trace_back(rows, len(detected))


def merit(row, j):
    first, merits = row
    return merits[min(j - first, len(merits) - 1)]


def trace_back(rows, j):
    matched = np.full(len(rows) - 1, -1, dtype=np.int64)
    for i in range(len(rows) - 1, 0, -1):
        first, merits = rows[i]
        j = min(j, first + len(merits) - 1)
        while j > first and merit(rows[i], j) == merit(rows[i], j - 1):  # back to where this row gained
            j -= 1
        if j > first and merit(rows[i], j) != merit(rows[i - 1], j):
            j -= 1
            matched[i - 1] = j
    return matched


def count(record, detected, matched, without_flutter=False):
    """Counts detected, false and missed beats. Artifacts without beat annotations are excluded: neither reference beats
    nor false detections count there. `without_flutter` also excludes episodes of ventricular flutter, as in ANSI/AAMI
    EC57. Pairs are formed first, so a beat at an edge keeps its partner."""
    found, false = matched >= 0, np.ones(len(detected), dtype=bool)
    false[matched[found]] = False
    counted = ~record.in_artefact(record.samples)
    false &= ~record.in_artefact(detected)
    if without_flutter:
        counted &= ~record.in_flutter(record.samples)
        false &= ~record.in_flutter(detected)
    return Counts(int((found & counted).sum()), int(false.sum()), int((~found & counted).sum()))


def counts_of(record, detected):
    """Returns {(tolerance_ms, without_flutter): Counts}."""
    counts = {}
    for tolerance_ms in TOLERANCES_MS:
        matched = match(record.samples, detected, tolerance_in_samples(tolerance_ms, record.rate))
        for without_flutter in (False, True):
            counts[tolerance_ms, without_flutter] = count(record, detected, matched, without_flutter)
    return counts


def gross(all_counts):
    """Adds up the counts of several records."""
    return {key: sum((counts[key] for counts in all_counts), Counts()) for key in
            ((tolerance_ms, without) for tolerance_ms in TOLERANCES_MS for without in (False, True))}


def counts_as_json(counts):
    return {f"{tolerance_ms}_ms{'_without_flutter' if without else ''}": value.as_json()
            for (tolerance_ms, without), value in counts.items()}
