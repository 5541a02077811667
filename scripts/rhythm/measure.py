"""Figures of rhythms: by strip, by duration, and with intervals by patient."""
import numpy as np

from rhythm.records import PLACE, STATES, UNKNOWN

LABELS = {"AFIB": "AFIB", "AFL": "AFL", "SVT": "SVT", "SVTA": "SVT", "VT": "VT", "IVR": "IVR", "B": "BIGEMINY",
         "T": "TRIGEMINY", "BI": "WENCKEBACH", "NOD": "JUNCTIONAL", "BRADY": "SUDDEN_BRADY", "PAUSE": "SUDDEN_BRADY", "NOISE": "NOISE", "VF": "VF", "VFL": "VF"}


def f1(counts):
    """F1 of [.., (right, false, missed)]; NaN if all are 0."""
    right, false, missed = counts[..., 0], counts[..., 1], counts[..., 2]
    total = 2 * right + false + missed
    return np.where(total > 0, 2 * right / np.maximum(total, 1e-9), np.nan)


def set_counts(reference, found):
    """Returns right, false and missed of each state, [states, 3], of the sets of states of a strip."""
    r, f = (np.array([state in names for state in range(len(STATES))]) for names in (reference, found))
    return np.stack([r & f, f & ~r, r & ~f], 1).astype(float)


def states_of(stretches, least_s=0.0):
    return {stretch[2] for stretch in stretches if stretch[2] != UNKNOWN and stretch[1] - stretch[0] >= least_s}


def duration_counts(record, stretches, state):
    """Returns the seconds of a state that are right, false and missed, where the reference is known.

    Atrial flutter classified as fibrillation is not false.
    """
    edges = np.unique(np.clip([at for of in (record.stretches, stretches) for s in of for at in s[:2]] +
                              [0, record.seconds], 0, record.seconds))
    middle, length = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    reference = np.full(len(middle), UNKNOWN)
    for start, end, of, *_ in record.stretches:
        reference[(middle >= start) & (middle < end)] = of
    found = np.zeros(len(middle), bool)
    for start, end, of, *_ in stretches:
        if of == state:
            found |= (middle >= start) & (middle < end)
    known = reference != UNKNOWN
    if state == PLACE["AFIB"]:
        known &= reference != PLACE["AFL"]
    is_state = reference == state
    return np.array([length[known & is_state & found].sum(), length[known & ~is_state & found].sum(),
                     length[known & is_state & ~found].sum()])


def joined(stretches, state):
    """Returns (start, end) of the segments of a state; touching ones are merged."""
    found = []
    for start, end, of, *_ in sorted(stretches):
        if of == state and found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        elif of == state:
            found.append((start, end))
    return found


def episode_counts(reference, found):
    """Returns the reference episodes that overlap a detected one, all reference episodes, and the same for detected
    ones."""
    overlaps = lambda a, others: any(a[0] < end and a[1] > start for start, end in others)
    return np.array([sum(overlaps(r, found) for r in reference), len(reference),
                     sum(overlaps(f, reference) for f in found), len(found)])


def interval(counts, patients, draws=1000):
    """Returns F1 and its 95 % interval by patient; counts [records, 3]."""
    counts, names = np.asarray(counts), sorted(set(patients))
    by = np.array([counts[[p == name for p in patients]].sum(0) for name in names])
    draw = np.random.default_rng(1).integers(0, len(names), (draws, len(names)))
    drawn = f1(by[draw].sum(1))
    low, high = np.nanquantile(drawn, (0.025, 0.975)) if np.isfinite(drawn).any() else (np.nan, np.nan)
    return {"f1": float(f1(counts.sum(0))), "low": float(low), "high": float(high), "counts": counts.sum(0).tolist()}


def strips(records, found):
    """Returns F1 of each state over strips, with intervals; `found` are sets of states."""
    each = np.array([set_counts(states_of(r.stretches), f) for r, f in zip(records, found)])
    return {name: interval(each[:, state], [r.patient for r in records]) for state, name in enumerate(STATES)
            if each[:, state].sum()}


def program_states(record, least_s=0.0):
    return {PLACE[LABELS[label]] for start, end, label in record.episodes if label in LABELS and end - start >= least_s}


def program_stretches(record):
    return [(start, end, PLACE[LABELS[label]]) for start, end, label in record.episodes if label in LABELS]


def line(name, of):
    return f"{of['f1']:.3f} [{of['low']:.2f}, {of['high']:.2f}] {'/'.join(f'{c:.0f}' for c in of['counts'])}"
