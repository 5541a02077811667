"""95 % confidence intervals of figures, by bootstrap over people.

People are drawn with replacement, each with all of his or her records. Without other information, each record is a
person. The draws are seeded, so the same records give the same interval.
"""
import numpy as np

RESAMPLES = 10_000
PERCENT = (2.5, 97.5)
LEAST_PEOPLE = 6  # by chance alone, five agree in direction in 6 % of all cases, six in 3 %


def draws(people):
    """Returns how often each record is drawn: [RESAMPLES, records]. people: one key a record."""
    _, person = np.unique(np.asarray(people), return_inverse=True)
    number = int(person.max()) + 1
    drawn = np.random.default_rng(1).integers(number, size=(RESAMPLES, number))
    times = np.zeros((RESAMPLES, number), dtype=np.float64)
    np.add.at(times, (np.arange(RESAMPLES)[:, None], drawn), 1)
    return times[:, person]


def with_interval(value, drawn_values, people):
    low, high = np.percentile(drawn_values, PERCENT)
    number = len(set(people))
    return {"mean": float(value), "low": float(low), "high": float(high), "records": len(people), "people": number,
            "excludes_zero": bool(number >= LEAST_PEOPLE and (low > 0 or high < 0))}


def mean_with_interval(differences, people=None):
    """Returns the mean of paired differences, one a record, or None if there are none."""
    differences = np.asarray(differences, dtype=np.float64)
    if not len(differences):
        return None
    people = list(range(len(differences))) if people is None else people
    times = draws(people)
    return with_interval(differences.mean(), times @ differences / times.sum(axis=1), people)


def f1(tp_fp_fn):
    """Returns F1 of counts [..., 3]."""
    tp, fp, fn = np.moveaxis(np.asarray(tp_fp_fn, dtype=np.float64), -1, 0)
    return 2 * tp / np.maximum(2 * tp + fp + fn, 1)


def f1_difference(ours, theirs, people):
    """Returns the difference of two gross F1 over the same records. ours, theirs: tp, fp, fn of each record."""
    if not len(people):
        return None
    ours, theirs, times = np.asarray(ours, np.float64), np.asarray(theirs, np.float64), draws(people)
    return with_interval(f1(ours.sum(axis=0)) - f1(theirs.sum(axis=0)), f1(times @ ours) - f1(times @ theirs), people)
