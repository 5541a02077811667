"""Examples of found waves that are or are not in the reference, the fit of their confidence, and its figures.

A found P, QRS or T wave counts as there if a wave of the reference has both onset and offset within 150 ms of it, over
several leads in at least a third of them. In the MIT-BIH P-wave annotations a P peak must be within 100 ms of its
middle. In episodes of AFIB and JUNCTIONAL there are no P waves, and in sinus rhythm (NSR) each one counts as there.

Besides the records themselves there are those with 30 and 80 uV of noise, and records with false R peaks between beats.
Each record counts as a recording of all of its leads, and as one of each lead alone.
"""
import dataclasses
from dataclasses import dataclass

import numpy as np

from waves.confidence import LEAST, Regression, inputs_of
from waves.data import P, QRS, T
from waves.measure import PEAK_TOLERANCE, TOLERANCE, annotated, auroc, figure
from waves.windows import RATE

VARIANTS = {"as recorded": 0.5, "30 uV": 0.2, "80 uV": 0.15, "false R peaks": 0.15}  # weights
SURE = {"AFIB": 0, "JUNCTIONAL": 0, "NSR": 1}
BINS = (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1)
FALSE_R_SHARE, FALSE_R_APART = 0.35, 0.25  # of the RR intervals; s from the beats


def with_false_r(record, seed):
    """Returns R peaks with false ones between some of the beats."""
    rng, room = np.random.default_rng(seed), FALSE_R_APART * record.rate
    low, high = record.r[:-1] + room, record.r[1:] - room
    chosen = (rng.random(len(low)) < FALSE_R_SHARE) & (high > low)
    false = low + rng.random(len(low)) * (high - low)
    return np.sort(np.concatenate([record.r, false[chosen]]))


def in_waves(outcome, fused, lead, wave):
    """Returns for each beat whether its wave is annotated in one lead: 1, 0, or -1 if unknown."""
    record, waves, r = outcome.record, outcome.record.waves[lead], outcome.windows.r
    rate = record.rate
    rows = r[:, None] + fused[:, [3 * wave, 3 * wave + 2]] * rate / RATE
    reference = annotated(waves, wave) if len(waves) else np.zeros((0, 2))
    if not len(waves) or not (waves[:, 0] == QRS).any():
        return np.full(len(r), -1)
    close = ~(np.abs(rows[:, None] - reference[None]) > TOLERANCE * rate).any(-1)
    middle = rows.mean(1)
    known = (middle >= np.nanmin(waves[:, 1:])) & (middle <= np.nanmax(waves[:, 1:]))
    if record.set == "qtdb":  # only some beats are annotated
        known &= between_annotated(r, waves[waves[:, 0] == QRS, 2], rate)
        known &= (wave != T) | (waves[:, 0] == T).any()
    return np.where(known, close.any(1), -1)


def between_annotated(r, peaks, rate):
    """Returns which R peaks are annotated beats, or lie between two consecutive ones within 2 s of each other."""
    near = np.abs(r[:, None] - peaks).min(1) <= 0.16 * rate
    after = np.searchsorted(peaks, r)
    inside = (after > 0) & (after < len(peaks))
    after = np.clip(after, 1, len(peaks) - 1)
    return near | (inside & (peaks[after] - peaks[after - 1] < 2 * rate))


def truth(outcome, fused, leads):
    """Returns {wave: [beats]}: whether the detected wave is in the reference: 1, 0, or -1 if unknown."""
    record, r = outcome.record, outcome.windows.r
    unknown = np.full(len(r), -1)
    if record.set == "pwave":
        middle = r + fused[:, 1] * record.rate / RATE
        place = np.clip(np.searchsorted(record.p, middle), 1, len(record.p) - 1)
        distance = np.minimum(np.abs(middle - record.p[place]), np.abs(middle - record.p[place - 1]))
        return {P: np.where(distance <= PEAK_TOLERANCE * record.rate, 1, 0), QRS: unknown, T: unknown}
    if record.set == "irhythm":
        known = unknown.copy()
        for start, end, name in record.episodes:
            if name in SURE:
                known[(r >= start) & (r < end)] = SURE[name]
        return {P: known, QRS: unknown, T: unknown}
    out = {}
    for wave in (P, QRS, T):
        of_leads = np.array([in_waves(outcome, fused, lead, wave) for lead in leads])
        count = (of_leads >= 0).sum(0)
        share = (of_leads == 1).sum(0) / np.maximum(count, 1)
        out[wave] = np.where(count == 0, -1, np.where(share >= 1 / 3, 1, np.where(share == 0, 0, -1)))
    return out


@dataclass
class Found:
    """Detected waves with known truth; all arrays are [waves], x is [waves, inputs]."""
    x: np.ndarray
    y: np.ndarray
    weight: np.ndarray  # 1 a record, in all of its variants
    set: np.ndarray
    record: np.ndarray  # index of the set
    fold: np.ndarray
    variant: np.ndarray
    all_leads: np.ndarray  # bool; else one lead alone

    def of(self, rows):
        return Found(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def found_of(outcomes):
    """Returns {wave: Found} of outcomes [(number of the record, variant, outcome)]."""
    parts = {wave: [] for wave in (P, QRS, T)}
    for number, variant, outcome in outcomes:
        record, count = outcome.record, len(outcome.averaged)
        subsets = [(np.arange(count), True)] + [(np.array([lead]), False) for lead in range(count) if count > 1]
        for leads, whole in subsets:
            fused, inputs = inputs_of(outcome, leads)
            known = truth(outcome, fused, leads)
            for wave, x in inputs.items():
                rows = ~np.isnan(x[:, 0]) & (known[wave] >= 0)
                n = rows.sum()
                share = VARIANTS[variant] * (1 if count == 1 else 0.5 if whole else 0.5 / count)
                full = lambda value: np.full(n, value)
                parts[wave].append((x[rows], known[wave][rows].astype(float), full(share / max(n, 1)),
                                    full(record.set), full(number), full(record.fold), full(variant), full(whole)))
    return {wave: Found(*(np.concatenate(column) for column in zip(*rows))) for wave, rows in parts.items()}


def fit(found):
    return Regression.fit(found.x, found.y, found.weight)


def out_of_fold(found):
    """Returns the regressions without each fold, and the probabilities [waves] by that without the patient's fold."""
    models, p = {}, np.zeros(len(found.y))
    for fold in np.unique(found.fold):
        models[int(fold)] = fit(found.of(found.fold != fold))
        p[found.fold == fold] = models[int(fold)](found.x[found.fold == fold])
    return models, p


def out_of_set(found):
    """Returns the probabilities [waves] by a regression without the wave's set, or none if there is one set."""
    names = np.unique(found.set)
    if len(names) < 2:
        return None
    p = np.zeros(len(found.y))
    for name in names:
        p[found.set == name] = fit(found.of(found.set != name))(found.x[found.set == name])
    return p


def by_record(found, rows, columns):
    """Returns sums of columns [waves, k] by record [records, k], weighted."""
    numbers, index = np.unique(found.record[rows], return_inverse=True)
    weight = found.weight[rows]
    return np.stack([np.bincount(index, weight * column[rows], len(numbers)) for column in columns], axis=1)


def ratio(sums):
    return sums[..., 1] / np.maximum(sums[..., 0], 1e-12)


def scores(found, p, rows):
    """Returns Brier score, AUROC, and the shares of true waves: mean probability and observed, with intervals."""
    one = np.ones(len(p))
    of = lambda column: figure(by_record(found, rows, [one, column]), ratio)
    return {"Brier": of((p - found.y) ** 2), "AUROC": auroc([p[rows]], [found.y[rows] == 1], [found.record[rows]]),
            "mean confidence": of(p), "share in the reference": of(found.y)}


def reliability(found, p):
    """Returns for each bin of confidence: number of waves, mean confidence, and the share in the reference."""
    table = {}
    for low, high in zip(BINS, BINS[1:]):
        rows = (p >= low) & ((p < high) | (high == 1))
        one = np.ones(len(p))
        if rows.any():
            table[f"{low:g} to {high:g}"] = {
                "waves": int(rows.sum()), "mean confidence": figure(by_record(found, rows, [one, p]), ratio)[0],
                "share in the reference": figure(by_record(found, rows, [one, found.y]), ratio)}
    return table


def tables(found):
    """Returns the figures of one wave's confidence, and the regressions without each fold."""
    models, p = out_of_fold(found)
    table, other = {}, out_of_set(found)
    for name in np.unique(found.set):
        for title, whole in (("all leads", True), ("each lead", False)):
            rows = (found.set == name) & (found.all_leads == whole)
            if rows.any() and (whole or name != "irhythm"):
                table[f"{name}, {title}"] = scores(found, p, rows)
                if other is not None:
                    table[f"{name}, {title}, trained without {name}"] = scores(found, other, rows)
    for variant in VARIANTS:
        rows = found.variant == variant
        if rows.any():
            table[f"all, {variant}"] = scores(found, p, rows)
    return {"scores": table, "reliability": reliability(found, p)}, models


def with_confident_p(outcome, regression, least=LEAST):
    """Returns an outcome without the P waves whose single-lead confidence is below `least`."""
    averaged = outcome.averaged.copy()
    for lead in range(len(averaged)):
        p = regression(inputs_of(outcome, np.array([lead]))[1][P])
        averaged[lead, p < least, :3] = np.nan  # p is NaN without a P wave
    return dataclasses.replace(outcome, averaged=averaged)


def p_confidence(outcome, regression):
    """Returns the P waves' confidence over all leads [beats], 0 if none is detected."""
    fused, inputs = inputs_of(outcome, np.arange(len(outcome.averaged)))
    return np.where(np.isnan(fused[:, 0]), 0, regression(inputs[P]))
