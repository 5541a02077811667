"""Out-of-fold figures: delineation, intervals, P-wave evidence, non-conducted P waves.

A wave is found if onset and offset are within 150 ms of the annotated ones, as is usual for LUDB; P peaks of the
MIT-BIH annotations within 100 ms. R is given. Each record is examined by the net that did not see its patient. The
confidence intervals are of a bootstrap over records.
"""
from dataclasses import dataclass

import numpy as np

from waves.data import P, QRS, T
from waves.decode import beat_waves, fuse, gap_windows, non_conducted, p_evidence, stitched
from waves.examples import NET
from waves.windows import FAR, R_INDEX, RATE, cut, fill, marks, net_input

TOLERANCE, PEAK_TOLERANCE = 0.15, 0.1  # s
RESAMPLES = 1000
NAMES = ("P", "QRS", "T")
SINUS = ("NSR",)


@dataclass
class Outcome:
    record: object
    windows: object
    average: np.ndarray  # masks [leads, beats, 3, 320] of local averages
    single: np.ndarray  # masks of single beats
    extra: list  # an RR interval: masks [leads, windows, 3, 320] of the extra windows
    averaged: np.ndarray = None  # FIDUCIALS [leads, beats, 9]
    beaten: np.ndarray = None  # FIDUCIALS of single beats
    evidence: np.ndarray = None  # [leads, beats]


def examine(windows, masks_of, extras=True):
    """Runs the net, masks_of(inputs), on one record."""
    before, after = windows.rr_before, windows.rr_after
    mark = marks(R_INDEX - before, np.full(len(before), R_INDEX), R_INDEX + after)
    average = masks_of(net_input(windows.average[:, :, NET], windows.height, mark))
    single = masks_of(net_input(windows.single[:, :, NET], windows.height, mark))
    out = Outcome(windows.record, windows, average, single, extra_windows(windows, masks_of) if extras else [])
    per_lead = lambda masks: np.stack([beat_waves(lead, before, after) for lead in masks])
    out.averaged, out.beaten = per_lead(average), per_lead(single)
    out.evidence = np.stack([p_evidence(masks, fiducials, before)
                             for masks, fiducials in zip(single, out.averaged)])
    return out


def extra_windows(windows, masks_of):
    """Returns the masks of the extra windows of each RR interval, with the scale and the marks of the beat before."""
    out, step = [], windows.record.rate / RATE
    for beat, rr in enumerate(windows.rr_after):
        starts = gap_windows(rr) if rr < FAR else []
        if not starts:
            out.append(np.zeros((len(windows.single), 0, 3, 320), np.float32))
            continue
        starts = np.array(starts, np.float64)
        v = fill(cut(windows.y, windows.record.rate, windows.r[beat] + (starts + R_INDEX) * step))
        mark = marks(-windows.rr_before[beat] - starts, -starts, rr - starts)
        out.append(masks_of(net_input(v, np.repeat(windows.height[:, beat, None], len(starts), 1), mark)))
    return out


# Figures of sums over records.

def f1(sums):
    return 100 * 2 * sums[..., 0] / np.maximum(2 * sums[..., 0] + sums[..., 1] + sums[..., 2], 1)


def sensitivity(sums):
    return 100 * sums[..., 0] / np.maximum(sums[..., 0] + sums[..., 2], 1)


def predictive_value(sums):
    return 100 * sums[..., 0] / np.maximum(sums[..., 0] + sums[..., 1], 1)


def mean(sums):
    return sums[..., 1] / np.maximum(sums[..., 0], 1)


def spread(sums):
    return np.sqrt(np.maximum(sums[..., 2] / np.maximum(sums[..., 0], 1) - mean(sums) ** 2, 0))


def draws(count):
    """Returns how often each record is drawn [RESAMPLES, records]."""
    return np.random.default_rng(1).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)


def figure(rows, statistic):
    """Returns [value, low, high] of a statistic of sums over records; rows [records, sums]."""
    rows = np.asarray(rows, np.float64)
    if not len(rows):
        return [np.nan] * 3
    return [float(statistic(rows.sum(0))), *np.percentile(statistic(draws(len(rows)) @ rows), (2.5, 97.5)).tolist()]


def moments(errors):
    """Returns number, sum and sum of squares of errors in ms."""
    errors = np.asarray(errors, np.float64)
    errors = errors[~np.isnan(errors)]
    return np.array([len(errors), errors.sum(), (errors ** 2).sum()])


def auroc(scores, positive, groups):
    """Returns [value, low, high] of the area under the ROC curve; the bootstrap is over groups."""
    scores, positive, groups = (np.concatenate(part) for part in (scores, positive, groups))
    if positive.all() or not positive.any():
        return [np.nan] * 3
    _, rank = np.unique(scores, return_inverse=True)
    _, group = np.unique(groups, return_inverse=True)

    def area(weight):
        up = np.bincount(rank, weight * positive)
        down = np.bincount(rank, weight * ~positive)
        total = up.sum() * down.sum()
        return (up * (np.cumsum(down) - down / 2)).sum() / total if total else np.nan
    drawn = [area(times[group].astype(float)) for times in draws(group.max() + 1)[:300]]
    return [float(area(np.ones(len(rank)))), *np.nanpercentile(drawn, (2.5, 97.5)).tolist()]


# Delineation.

def match(reference, found, tolerance):
    """Returns (tp, fp, fn) and errors [tp, 2] of waves [n, 2], onsets and offsets. Each is used once, nearest first."""
    def middle(rows):
        return np.where(np.isnan(rows).any(1), np.nanmax(rows, axis=1), rows.mean(1)) if len(rows) else np.zeros(0)
    close = np.abs(reference[:, None] - found[None])  # NaN: not annotated
    allowed = ~(close > tolerance).any(-1)
    distance = np.where(allowed, np.abs(middle(reference)[:, None] - middle(found)[None]), np.inf)
    free_r, free_f, errors = np.ones(len(reference), bool), np.ones(len(found), bool), []
    for k in np.argsort(distance, axis=None, kind="stable"):
        a, b = np.unravel_index(k, distance.shape)
        if not np.isfinite(distance[a, b]):
            break
        if free_r[a] and free_f[b]:
            free_r[a] = free_f[b] = False
            errors.append(found[b] - reference[a])
    return np.array([len(errors), free_f.sum(), free_r.sum()]), np.array(errors).reshape(-1, 2)


def annotated(waves, wave):
    """Returns [n, 2]: onset and offset of a lead's waves, NaN where one is not annotated."""
    rows = waves[waves[:, 0] == wave]
    rows = rows[~np.isnan(rows[:, [1, 3]]).all(1)]
    return rows[:, [1, 3]]


def found_waves(fiducials, r, rate, wave, waves):
    """Returns [n, 2]: the detected waves between the first and the last annotation."""
    rows = r[:, None] + fiducials[:, [3 * wave, 3 * wave + 2]] * rate / RATE
    middle = rows.mean(1)
    low, high = np.nanmin(waves[:, 1:]), np.nanmax(waves[:, 1:])
    return rows[(middle >= low) & (middle <= high)]


def lead_counts(record, r, fiducials, waves):
    """Returns for each wave the counts and the moments of onset and offset errors of one lead."""
    rate, out = record.rate, {}
    if record.set == "qtdb":  # only some beats are annotated
        peaks = waves[waves[:, 0] == QRS, 2]
        near = np.abs(r[:, None] - peaks).min(1) <= 0.16 * rate
        r, fiducials = r[near], fiducials[near]
    for wave in (P, QRS, T):
        counts, errors = match(annotated(waves, wave), found_waves(fiducials, r, rate, wave, waves), TOLERANCE * rate)
        out[wave] = counts, moments(errors[:, 0] / rate * 1000), moments(errors[:, 1] / rate * 1000)
    return out


def delineation(outcomes, fiducials_of):
    """Returns the figures over all leads of all records: F1, mean and SD of onset and offset of each wave."""
    table, records = {}, []
    for outcome in outcomes:
        leads = [lead_counts(outcome.record, outcome.windows.r, fiducials, waves)
                 for fiducials, waves in zip(fiducials_of(outcome), outcome.record.waves) if len(waves)]
        records.append({wave: [sum(lead[wave][k] for lead in leads) for k in range(3)] for wave in (P, QRS, T)})
    fill_table(table, records)
    return table


def fill_table(table, records):
    for wave in (P, QRS, T):
        table[NAMES[wave] + " F1"] = figure([r[wave][0] for r in records], f1)
        table[NAMES[wave] + " Se"] = figure([r[wave][0] for r in records], sensitivity)
        table[NAMES[wave] + " PPV"] = figure([r[wave][0] for r in records], predictive_value)
        for k, name in ((1, "onset"), (2, "offset")):
            table[f"{NAMES[wave]} {name} mean"] = figure([r[wave][k] for r in records], mean)
            table[f"{NAMES[wave]} {name} SD"] = figure([r[wave][k] for r in records], spread)


def best_lead(outcomes):
    """Returns the figures of each record's best lead for each wave: the highest F1, then the lowest SD of the offset.

    Records without a single annotated T wave do not count for T waves.
    """
    records = []
    for outcome in outcomes:
        leads = [lead_counts(outcome.record, outcome.windows.r, fiducials, waves)
                 for fiducials, waves in zip(outcome.averaged, outcome.record.waves)]
        best = {wave: max((lead[wave] for lead in leads), key=lambda c: (f1(c[0]), -spread(c[2])))
                for wave in (P, QRS, T)}
        if not (outcome.record.waves[0][:, 0] == T).any():
            best[T] = [np.zeros(3)] * 3
        records.append(best)
    table = {}
    fill_table(table, records)
    return table


def reference_intervals(waves):
    """Returns PR, QRS and QT of a lead's annotated beats in samples [n, 3], NaN where a wave is missing."""
    rows = []
    for k in np.flatnonzero(waves[:, 0] == QRS):
        onset, offset = waves[k, 1], waves[k, 3]
        p = waves[k - 1, 1] if k and waves[k - 1, 0] == P else np.nan
        t = waves[k + 1, 3] if k + 1 < len(waves) and waves[k + 1, 0] == T else np.nan
        rows.append((onset - p, offset - onset, t - onset))
    return np.array(rows).reshape(-1, 3)


def record_intervals(outcomes):
    """Returns mean and SD over records of the error of the medians over leads and beats of PR, QRS and QT, in ms."""
    rows = {name: [] for name in ("PR", "QRS", "QT")}
    for outcome in outcomes:
        record, r = outcome.record, outcome.windows.r
        reference = np.concatenate([reference_intervals(waves) for waves in record.waves])
        low = min(np.nanmin(waves[:, 1:]) for waves in record.waves if len(waves))
        high = max(np.nanmax(waves[:, 1:]) for waves in record.waves if len(waves))
        f = outcome.averaged[:, (r >= low) & (r <= high)].reshape(-1, 9)
        found = np.stack([f[:, 3] - f[:, 0], f[:, 5] - f[:, 3], f[:, 8] - f[:, 3]], axis=1)
        for k, name in enumerate(rows):
            a, b = reference[:, k], found[:, k]
            a, b = a[~np.isnan(a)], b[~np.isnan(b)]
            if len(a) >= 3 and len(b) >= 3:
                rows[name].append(moments([np.median(b) / RATE * 1000 - np.median(a) / record.rate * 1000]))
    return {f"{name} {word}": figure(values, statistic) for name, values in rows.items()
            for word, statistic in (("mean", mean), ("SD", spread))}


# P waves.

def blocked(outcome):
    """Returns the middles in samples of the non-conducted P waves of a record."""
    record, r, found = outcome.record, outcome.windows.r, []
    for beat, rr in enumerate(outcome.windows.rr_after[:-1]):
        masks = np.mean([stitched(rr, outcome.single[lead, beat], outcome.single[lead, beat + 1],
                                  outcome.extra[beat][lead]) for lead in range(len(outcome.single))], axis=0)
        found += [r[beat] + middle * record.rate / RATE for middle in non_conducted(masks, rr).mean(1)]
    return np.array(found)


def conducted(outcome, scores=None, least=0.0, single=False):
    """Returns the middles of the P waves of beats: of local averages, where the beats' score is at least this."""
    fiducials = fuse(outcome.beaten if single else outcome.averaged)
    there = ~np.isnan(fiducials[:, 1])
    if scores is not None:
        there &= scores(outcome) >= least
    return outcome.windows.r[there] + fiducials[there, 1] * outcome.record.rate / RATE


def evidence_of(outcome):
    """Returns the P evidence of each beat: the largest over leads."""
    return outcome.evidence.max(0)


def peak_counts(reference, found, tolerance):
    pair = lambda peaks: np.stack([peaks, peaks], axis=1) if len(peaks) else np.zeros((0, 2))
    # windows of the record keep the table of distances small
    counts, edges = np.zeros(3), np.arange(0, max([0, *reference, *found]) + 2, 20000)
    for low in edges:
        part = lambda peaks: pair(peaks[(peaks >= low) & (peaks < low + 20000)])
        counts += match(part(reference), part(found), tolerance)[0]
    return counts


def true_blocked(record):
    """Returns the annotated P waves more than 120 ms after an R peak and 380 ms before the next."""
    after = np.searchsorted(record.r, record.p)
    inside = (after > 0) & (after < len(record.r))
    p, after = record.p[inside], after[inside]
    return p[(p - record.r[after - 1] > 0.12 * record.rate) & (record.r[after] - p > 0.38 * record.rate)]


def p_waves(outcomes, ways):
    """Returns Se and PPV of all P waves of the MIT-BIH records, and the counts of non-conducted ones by record.

    ways: {name: options of conducted()}.
    """
    table, by_record = {}, {}
    extra = [blocked(outcome) for outcome in outcomes]
    for name, options in ways.items():
        rows = [peak_counts(o.record.p, np.sort(np.concatenate([conducted(o, **options), more])),
                            PEAK_TOLERANCE * o.record.rate) for o, more in zip(outcomes, extra)]
        table[f"P Se ({name})"], table[f"P PPV ({name})"] = figure(rows, sensitivity), figure(rows, predictive_value)
        by_record[name] = {o.record.name: row.tolist() for o, row in zip(outcomes, rows)}
    rows = [peak_counts(true_blocked(o.record), more, PEAK_TOLERANCE * o.record.rate)
            for o, more in zip(outcomes, extra)]
    table["non-conducted Se"], table["non-conducted PPV"] = figure(rows, sensitivity), figure(rows, predictive_value)
    by_record["non-conducted"] = {o.record.name: row.tolist() for o, row in zip(outcomes, rows)}
    return table, by_record


def p_before(outcome):
    """Returns for each beat whether a P wave is annotated before it: 1, 0, or -1 if unknown."""
    record, r = outcome.record, outcome.windows.r
    if record.set == "pwave":
        after = np.searchsorted(record.p, r)
        gap = r - np.concatenate([[-np.inf], record.p])[after]
        before = np.concatenate([[-np.inf], r[:-1]])
        return ((gap < 0.38 * record.rate) & (r - gap > before)).astype(int)
    known = []
    for waves in record.waves:
        rows = np.full(len(r), -1)
        for k in np.flatnonzero(waves[:, 0] == QRS)[1:]:  # the first beat's P wave is often not annotated
            beat = np.abs(r - waves[k, 2]).argmin()
            if abs(r[beat] - waves[k, 2]) < 0.16 * record.rate:
                rows[beat] = waves[k - 1, 0] == P
        known.append(rows)
    known = np.array(known)
    share = (known == 1).sum(0) / np.maximum((known >= 0).sum(0), 1)
    return np.where((known >= 0).sum(0) == 0, -1, np.where(share >= 1 / 3, 1, np.where(share == 0, 0, -1)))


def presence(outcomes, scores_of=evidence_of):
    """Returns the AUROC of a score of each beat: a P wave before this beat or not."""
    scores, positive, groups = [], [], []
    for outcome in outcomes:
        label = p_before(outcome)
        scores.append(scores_of(outcome)[label >= 0])
        positive.append(label[label >= 0] == 1)
        groups.append(np.full((label >= 0).sum(), outcome.record.name))
    return auroc(scores, positive, groups)


def rhythms_of(record, r):
    """Returns the names of the rhythms at R peaks."""
    name = np.full(len(r), "", "U16")
    for start, end, rhythm in record.episodes:
        name[(r >= start) & (r < end)] = rhythm
    return name


def rhythms(outcomes, reach=5):
    """Returns the AUROC of the mean evidence over 11 beats, no P wave being positive: rhythms against sinus rhythm."""
    beats = []
    for outcome in outcomes:
        evidence, r = evidence_of(outcome), outcome.windows.r
        total = np.pad(np.cumsum(evidence), (1, 0))
        k = np.arange(len(r))
        low, high = np.maximum(k - reach, 0), np.minimum(k + reach + 1, len(r))
        level = (total[high] - total[low]) / (high - low)
        beats.append((-level, rhythms_of(outcome.record, r), np.full(len(r), outcome.record.name)))
    table = {}
    for rhythm in ("AFIB", "AFL", "SVT", "JUNCTIONAL", "IVR"):
        kept = [np.isin(name, SINUS + (rhythm,)) for _, name, _ in beats]
        table[f"{rhythm} against NSR"] = auroc([b[0][k] for b, k in zip(beats, kept)],
                                               [b[1][k] == rhythm for b, k in zip(beats, kept)],
                                               [b[2][k] for b, k in zip(beats, kept)])
    return table


def blocks(outcomes):
    """Returns the AUROC by record of non-conducted P waves a beat: AV block against sinus rhythm alone."""
    rows = []
    for outcome in outcomes:
        names = {name for _, _, name in outcome.record.episodes}
        if names <= {"NSR", "NOISE"} or names & {"WENCKEBACH", "AVB_TYPE2"}:
            rows.append((len(blocked(outcome)) / len(outcome.windows.r), names, outcome.record.name))
    table = {}
    for rhythm in ("WENCKEBACH", "AVB_TYPE2"):
        kept = [row for row in rows if rhythm in row[1] or row[1] <= {"NSR", "NOISE"}]
        table[f"{rhythm} by record"] = auroc(*([np.array([value]) for value in part] for part in zip(
            *((score, rhythm in names, name) for score, names, name in kept)))) if kept else [np.nan] * 3
    return table
