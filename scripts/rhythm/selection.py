"""The decoder's parameters, fitted out of fold: to sets of rhythms of strips, and to fibrillation in long
recordings."""
import itertools

import numpy as np

from rhythm import decoder, evaluation, measure, records
from rhythm.records import PLACE, UNKNOWN

STRIPS = [decoder.Settings(*of) for of in itertools.product(
    (0.6, 1.0), (0.5, 0.7, 0.9), (0.9, 0.95), (30.0,), (0, 1))]
HOLTERS = [decoder.Settings(*of) for of in itertools.product(
    (0.1, 0.2, 0.35, 0.6, 1.0), (0.3, 0.5, 0.7), (0.99, 0.999), (200.0,), (2,))]


SOURCES = ("strip", "holter")  # by length
INTERVALS = [decoder.Settings(temperature, 0.7, 0.999, 200.0, 2) for temperature in (0.1, 0.3)]


def best_for_strips(some, log_ps, prior, labels):
    """Returns the settings with the greatest sum of mean F1 by strip and by duration."""
    places, best = [PLACE[name] for name in labels], None
    for settings in STRIPS:
        strips, seconds = 0, np.zeros((len(prior), 3))
        for record, (log_p, training_prior) in zip(some, log_ps):
            _, path = decoder.decode(log_p, training_prior, prior, settings)
            strips = strips + measure.set_counts(measure.states_of(record.stretches), set(path.tolist()))
            length = np.minimum(np.diff(records.edges_of(record)), 3) * (record.label != UNKNOWN)
            for state in places:
                found, is_state = path == state, record.label == state
                parts = (found & is_state, found & ~is_state, ~found & is_state)
                seconds[state] += [(length * of).sum() for of in parts]
        value = np.nanmean(measure.f1(strips)[places]) + np.nanmean(measure.f1(seconds)[places])
        if best is None or value > best[0]:
            best = (value, settings)
    return best[1]


def best_for_long(some, log_ps, prior, choices):
    """Returns the settings with the greatest F1 by duration of fibrillation, which the model decides in long
    recordings."""
    best = None
    for settings in choices:
        found = evaluation.decoded(some, log_ps, dict.fromkeys(SOURCES, prior), dict.fromkeys(SOURCES, settings))
        value = measure.f1(sum(measure.duration_counts(r, s, PLACE["AFIB"]) for r, s in zip(some, found)))
        if best is None or value > best[0]:
            best = (value, settings)
    return best[1]


def confidence_temperature(some, found):
    """Returns the divisor that calibrates log odds of segments, the odds, and which are right."""
    odds, right = [], []
    for record, segments in zip(some, found):
        for start, end, state, p in segments:
            known = sum(max(min(end, e) - max(start, s), 0) for s, e, of in record.stretches if of != UNKNOWN)
            own = sum(max(min(end, e) - max(start, s), 0) for s, e, of in record.stretches if of == state)
            if known > 0.5 * (end - start) and state != PLACE["NSR"]:
                p = min(max(p, 1e-4), 1 - 1e-4)
                odds.append(np.log(p / (1 - p))), right.append(own > 0.5 * known)
    odds, right = np.array(odds), np.array(right)
    loss = lambda t: np.logaddexp(0, np.where(right, -1, 1) * odds / t).mean()
    return float(min(np.arange(0.5, 8.01, 0.1), key=loss)), odds, right


def reliability(odds, right, temperature):
    """Returns rows of mean confidence, share that is right and segments."""
    p = 1 / (1 + np.exp(-odds / temperature))
    part = np.digitize(p, (0.4, 0.6, 0.7, 0.8, 0.9))
    return [[float(p[part == k].mean()), float(right[part == k].mean()), int((part == k).sum())]
            for k in range(6) if (part == k).any()]
