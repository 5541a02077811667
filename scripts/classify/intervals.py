"""The reference RR interval of accepted beats, as stages/classify/accepted_intervals.h defines it.

The program computes it without a mask. Training recomputes it for each round of posteriors, by the same steps.
"""
import numpy as np
from numba import njit

COLUMNS = ("reference_rr_s", "prematurity", "pause", "prematurity_margin", "is_premature", "reference_scatter",
           "rr_change", "rr_sum_before", "rr_sum_around")


@njit(cache=True)
def quantile(values, q):
    ordered = np.sort(values)
    place = q * (len(ordered) - 1)
    low = int(np.floor(place))
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


@njit(cache=True)
def quantiles_around(values, before, reach, q):
    found = np.empty(len(before))
    for i in range(len(before)):
        found[i] = quantile(values[max(before[i] - reach, 0):min(before[i] + reach, len(values))], q)
    return found


@njit(cache=True)
def before_each(chosen):
    before, count = np.empty(len(chosen), np.int64), 0
    for i in range(len(chosen)):
        before[i] = count
        count += chosen[i]
    return before


@njit(cache=True)
def changes_of(rr, near):
    least = np.zeros(len(rr))
    for i in range(1, len(rr)):
        least[i] = abs(rr[i] - rr[i - 1]) / near[i]
        for j in range(2, min(i, 3) + 1):
            least[i] = min(least[i], abs(rr[i] - rr[i - j]) / near[i])
    if len(rr) < 2:
        return np.full(len(rr), 0.05)
    known = np.ones(len(rr), np.bool_)
    known[0] = False
    return quantiles_around(least[1:], before_each(known), 30, 0.5)


@njit(cache=True)
def accepted(premature, excluded):
    fit = np.zeros(len(excluded), np.bool_)
    for i in range(1, len(excluded)):
        fit[i] = not (premature[i] or excluded[i] or premature[i - 1] or excluded[i - 1])
    if fit.sum() < 3:
        fit[:] = True
    return fit


@njit(cache=True)
def margins_of(rr, reference, premature, excluded):
    margins = np.empty(len(rr))
    for i in range(len(rr)):
        late = 0.5 * min(max(rr[i + 1] / reference[i] - 1, 0.0), 0.5) if i + 1 < len(rr) else 0.0
        abrupt = min(max(1 - rr[i] / rr[i - 1], -0.3), 0.2) if i > 0 else 0.0
        if i > 0 and premature[i - 1]:
            abrupt = max(abrupt, 0.0)
        if i > 0 and excluded[i - 1]:
            abrupt = 0.0
        margins[i] = 1 - rr[i] / reference[i] + late + 0.6 * abrupt
    return margins


@njit(cache=True)
def keep_after_excluded(rr, excluded, reference, premature):
    across = 0.0
    for i in range(1, len(rr)):
        if excluded[i - 1]:
            across = (across if i > 1 and excluded[i - 2] else rr[i - 1]) + rr[i]
            if not 1 - across / reference[i] > 0.08:
                premature[i] = False


@njit(cache=True)
def extend_runs(rr, excluded, reference, change, premature):
    run, limit = 0, 0.0
    for i in range(len(rr)):
        if premature[i]:
            run += 1
            if run == 1:
                limit = 0.85 * reference[i]
        elif not excluded[i]:
            goes_on = run >= 2 and rr[i] < limit and change[i] < 0.06
            premature[i] = goes_on
            run = run + 1 if goes_on else 0


@njit(cache=True)
def leave_usual_runs(rr, reference, premature):
    places = np.nonzero(premature)[0]
    first = 0
    for k in range(1, len(places) + 1):
        if k < len(places) and places[k] - places[k - 1] <= 3:
            continue
        run = places[first:k]
        first = k
        if len(run) < 60:
            continue
        median, before = quantile(rr[run], 0.5), reference[max(run[0] - 1, 0)]
        behind = rr[run[-1] + 1:run[-1] + 6]
        suddenly = len(behind) >= 3 and quantile(behind, 0.5) / quantile(rr[run[-5:]], 0.5) > 1.15
        if (not suddenly and median / before > 0.62) or (median > 0.6 and before > 1.2):
            premature[run] = False


@njit(cache=True)
def reference_of(rr, excluded):
    """Returns reference, scatter, change, margin and premature beats; rr in s, excluded: mask of excluded beats."""
    near = quantiles_around(rr, np.arange(len(rr)), 15, 0.6)
    change = changes_of(rr, near)
    others = rr[~excluded]
    recording = quantile(others, 0.5) if len(others) > 4 else quantile(rr, 0.5)
    ratio = rr / near
    premature = ~excluded & ((ratio < 0.84) | (rr / recording < 0.75)) & (ratio < 1 - 6 * change)
    premature[0] = False
    reference, scatter, margin = rr, rr, rr
    for _ in range(3):
        fit = accepted(premature, excluded)
        before = before_each(fit)
        reference = quantiles_around(rr[fit], before, 24, 0.7)
        scatter = 1.4826 * quantiles_around(np.abs(rr[fit] / reference[fit] - 1), before, 48, 0.5)
        margin = margins_of(rr, reference, premature, excluded)
        premature = ~excluded & (1 - rr / reference > 0.08) & (margin > np.maximum(0.28, 4 * scatter))
        premature[0] = False
        keep_after_excluded(rr, excluded, reference, premature)
        extend_runs(rr, excluded, reference, change, premature)
        leave_usual_runs(rr, reference, premature)
    return reference, scatter, change, margin, premature


def columns(rr, excluded):
    """Returns the columns of the beat table that depend on the mask, [K, 9] in the order of COLUMNS."""
    rr = np.asarray(rr, float)
    reference, scatter, change, margin, premature = reference_of(rr, np.asarray(excluded, bool))
    ratio = lambda interval, over=reference: np.log(interval / over)
    after, before = np.r_[rr[1:], rr[-1:]], np.r_[rr[:1], rr[:-1]]
    found = [reference, np.clip(ratio(rr), -1.2, 1), np.clip(ratio(after), -1.2, 1),
             np.clip(margin - np.maximum(0.28, 4 * scatter), -0.6, 0.6), premature, scatter, change,
             np.clip(ratio(rr + before), -0.8, 1.6),
             np.clip(ratio(rr + after, np.r_[reference[1:], reference[-1:]]), -0.8, 1.6)]
    return np.stack(found, 1).astype(np.float32)
