#!/usr/bin/env python3
"""Reference of templates and kinds of beats in float64 numpy (stages/findings/templates.h, early.h, ventricular.h and
kinds.h), for one lead. It works on the rows of ranking.py, and nothing is rounded to integers.

    python3 kinds.py INPUT.csv RATE R_PEAKS.npy RANKING.npy OUT.npy

OUT is int64 [K][2]: the number of the shape, the largest first, and the place of the kind in NSVFQ.

It assumes that all beats lie in good signal, that all are kept, and that the recording has no gaps.
"""
import sys

import numpy as np

import ranking

QRS_S, REST = (-.100, .180), .2
LEAD_FLOOR, FLOOR = .02, .1
RADIUS, RADII, MEMBER, MERGE = 6., (.05, .25), 1.5, .7
SAMPLE, MOST, FEWEST, PASSES = 2048, 39, 3, 2
WIDTH_S, MEAN_SIGMA_S, BEAT_SIGMA_S = (-.110, .160), .00265, .00441
MIDDLES = 512
LEAST_ODD = 1.5
ENERGY, WIDTH = (-1, 1.5), (-.3, .6)


def distance(a, b):
    """Returns [A][B], the distances between shapes."""
    squares_a, squares_b = (a * a).sum(1)[:, None], (b * b).sum(1)[None]
    return np.maximum(squares_a + squares_b - 2 * a @ b.T, 0) / (np.sqrt(squares_a * squares_b) + FLOOR)


def sampled(odd):
    """Returns the beats whose neighbours are counted."""
    n, half = len(odd), SAMPLE // 2
    if n <= SAMPLE:
        return np.arange(n)
    even = -(-np.arange(half) * n // half)  # rounded up: the first beat that is due
    rest = np.setdiff1d(np.arange(n), even)
    return np.sort(np.r_[even, rest[np.argsort(-odd[rest], kind="stable")[:half]]])


def first_centres(shapes, radius):
    near = distance(shapes, shapes) < radius
    left, centres = np.ones(len(shapes), bool), []
    while len(centres) < MOST:
        counts = near[:, left].sum(1) * left
        best = counts.argmax()
        if counts[best] < 2:
            break
        members = near[best] & left
        centres.append(shapes[members].mean(0))
        left &= ~members
    return np.array(centres) if centres else shapes[:1]


def merged(centres, counts, radius):
    while len(centres) > 1:
        apart = distance(centres, centres) + 9 * np.tri(len(centres))
        i, j = np.unravel_index(apart.argmin(), apart.shape)
        if apart[i, j] > radius:
            break
        centres[i] = (centres[i] * counts[i] + centres[j] * counts[j]) / (counts[i] + counts[j])
        counts[i] += counts[j]
        centres, counts = np.delete(centres, j, 0), np.delete(counts, j)
    return centres


def templates(shapes, median, odd):
    """Returns the template of each beat, the distance from it, and the centres; the largest template first."""
    radius = np.clip(RADIUS * np.median(distance(shapes, median[None])), *RADII)
    centres = first_centres(shapes[sampled(odd)], radius)
    for _ in range(PASSES):
        apart = distance(shapes, centres)
        nearest = apart.argmin(1)
        near = apart.min(1) < MEMBER * radius
        members = [near & (nearest == k) for k in range(len(centres))]
        stay = [k for k, m in enumerate(members) if m.sum() >= FEWEST or k == 0]
        centres = merged(np.array([shapes[members[k]].mean(0) if members[k].any() else centres[k] for k in stay]),
                         np.array([float(members[k].sum()) for k in stay]), MERGE * radius)
    apart = distance(shapes, centres)
    counts = np.bincount(apart.argmin(1), minlength=len(centres))
    centres = centres[[k for k in np.argsort(-counts, kind="stable") if counts[k]]]
    apart = distance(shapes, centres)
    return apart.argmin(1), apart.min(1), centres


def widths(beats, sigma_s):
    """Returns the widths of beats, [B][D]."""
    step = (ranking.BEFORE_S + ranking.AFTER_S) / (ranking.POINTS - 1)
    t = np.arange(ranking.POINTS) * step - ranking.BEFORE_S
    sigma = sigma_s / step
    reach = int(4 * sigma + .5)
    gaussian = np.exp(-.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    gaussian /= gaussian.sum()
    smooth = np.array([np.convolve(np.pad(b, reach, mode="edge"), gaussian, mode="valid") for b in beats])
    slope = np.abs(np.gradient(smooth, axis=1))[:, (t >= WIDTH_S[0] - 1e-9) & (t <= WIDTH_S[1] + 1e-9)]
    return slope.sum(1) ** 2 / (slope ** 2).sum(1)


def around(values, known, beats, reach, q):
    """Returns [K], the q-quantile of the values of the known beats nearest to each, so many on either side."""
    before = np.searchsorted(known, np.arange(beats))
    return np.array([np.quantile(values[max(0, m - reach):m + reach], q) for m in before])


def shifted(x, by=1):
    return np.r_[np.full(by, np.nan), x[:-by]]


def changes_of(rr):
    """Returns [K], the median change of RR intervals around each beat."""
    n = len(rr)
    usual = ranking.around(rr[1:], n, .6, 30)
    change = np.fmin.reduce([np.abs(rr - shifted(rr, j)) for j in (1, 2, 3)]) / usual
    known = np.flatnonzero(np.isfinite(change))
    return around(change[known], known, n, 30, .5)


def clipped(x, low, high):
    return np.clip(np.nan_to_num(x), low, high)


def early(rr, aside, far_ratio):
    """Returns [K], which beats are early and of a usual shape."""
    n = len(rr)
    near, change = ranking.around(rr[1:], n, .6, 15), changes_of(rr)
    behind_aside = np.r_[True, aside[:-1]]
    found = (rr / near < np.minimum(.84, 1 - 6 * change)) | (far_ratio < np.minimum(.75, 1 - 6 * change))
    for _ in range(3):
        accepted = np.flatnonzero(np.isfinite(rr) & ~aside & ~behind_aside & ~found & ~np.r_[False, found[:-1]])
        usual = around(rr[accepted], accepted, n, 24, .7)
        scatter = 1.4826 * around(np.abs(rr / usual - 1)[accepted], accepted, n, 48, .5)
        sooner = 1 - rr / usual
        late = clipped(np.r_[rr[1:], np.nan] / usual - 1, 0, .5)
        abrupt = clipped(1 - rr / shifted(rr), -.3, .2)
        abrupt[behind_aside | (np.r_[False, found[:-1]] & (abrupt < 0))] = 0
        found = ~aside & (sooner > .08) & (sooner + .5 * late + .6 * abrupt > np.maximum(.28, 4 * scatter))
    across = 0.
    for i in range(n):  # after a beat that is set aside the time from the last other beat must tell the same
        across = across + rr[i] if behind_aside[i] else rr[i]
        found[i] &= not behind_aside[i] or 1 - across / usual[i] > .08
    run, limit = 0, np.nan
    for i in range(n):
        if found[i]:
            run += 1
            limit = .85 * usual[i] if run == 1 else limit
        elif not aside[i]:
            found[i] = run >= 2 and rr[i] < limit and change[i] < .06
            run = run + 1 if found[i] else 0
    return found


def ventricular(apart, energy, width, is_early, late, odd, counts):
    """Returns which templates are ventricular, and the list of usual ones."""
    usual, ventricular = [0], np.zeros(len(counts), bool)
    for k in range(1, len(counts)):
        d = apart[k, usual].min()
        z = .5 * min(d, 1) + .4 * np.clip(energy[k], *ENERGY) + 1.5 * np.clip(width[k], *WIDTH) + .9 * is_early[k]
        z += .25 * np.clip((late[k] - 1) / .4, 0, 1)
        ventricular[k] = z > 1 and d > (.15 if odd[k] >= 4.5 and width[k] >= .2 else .3)
        if not ventricular[k] and is_early[k] < .5 and counts[k] >= .02 * counts.sum():
            usual.append(k)
    for k in range(1, len(counts)):
        rest = [u for u in usual if u != k]
        if not ventricular[k] and ventricular.any():
            if apart[k, ventricular].min() < min(.25, .25 * apart[k, rest].min()):
                ventricular[k], usual = True, rest
    return ventricular, usual


def fusion(centres, apart, is_early, counts, v_templates, usual):
    found = np.zeros(len(counts), bool)
    for k in range(1, len(counts)):
        if is_early[k] > .25 or min(apart[k, u] for u in usual if u != k) < .25:
            continue
        u = min(usual, key=lambda j: apart[k, j])
        u = 0 if u == k else u
        for v in np.flatnonzero(v_templates):
            if v == k or counts[v] < counts[k] or is_early[v] < .3:
                continue
            way, along = centres[v] - centres[u], centres[k] - centres[u]
            share = along @ way / (way @ way)
            aside = along - share * way
            found[k] |= .2 < share < .6 and aside @ aside < .45 * (along @ along)
    return found


def kinds(x, rate, peaks, odd):
    beats = ranking.rows(x, rate, peaks)
    regular = ranking.rhythm(peaks, rate)[1]
    median = np.median(beats[ranking.spread(np.flatnonzero(regular), ranking.REFERENCE_BEATS)], 0)
    median -= median.mean()
    beats, median = beats / median.std(), median / median.std()
    pooled = ranking.POINTS // 64
    t = np.linspace(-ranking.BEFORE_S, ranking.AFTER_S, ranking.POINTS).reshape(64, pooled).mean(1)
    weight = np.sqrt(np.where((t > QRS_S[0]) & (t < QRS_S[1]), 1, REST))
    short = lambda rows: rows.reshape(len(rows), 64, pooled).mean(2) * weight
    shapes = short(beats)
    of, d, centres = templates(shapes, short(median[None])[0], odd)
    counts, apart = np.bincount(of), distance(centres, centres)
    rr = np.r_[np.nan, np.diff(peaks)]
    near = ranking.around(rr[1:], len(rr), .6, 15)
    ratio, behind = rr / near, np.r_[rr[1:], np.nan] / near
    squares = (shapes * shapes).sum(1)
    every = range(len(counts))
    energy = np.log([squares[of == k].mean() / squares[of == 0].mean() for k in every])
    mean = [beats[(of == k) & (d <= np.median(d[of == k]))].mean(0) for k in every]
    width = widths(np.array(mean), MEAN_SIGMA_S)
    is_early = np.array([(ratio[(of == k) & np.isfinite(ratio)] < .88).mean() for k in every])
    near_own = np.isfinite(behind) & (d <= .5)
    late = np.array([np.median(behind[(of == k) & near_own]) if ((of == k) & near_own).any() else 1 for k in every])
    very_odd = np.array([np.sort(odd[of == k])[counts[k] // 2] for k in every])
    v_templates, usual = ventricular(apart, energy, np.log(width / width[0]), is_early, late, very_odd, counts)

    first = np.flatnonzero(of == 0)
    usual_width = np.median(widths(beats[ranking.spread(first, MIDDLES)], BEAT_SIGMA_S))
    from_usual = distance(shapes, centres[usual]).min(1)
    alone = (.5 * np.minimum(from_usual, 1) + .4 * np.clip(np.log(squares / squares[first].mean()), *ENERGY)
             + .3 * np.clip(np.log(widths(beats, BEAT_SIGMA_S) / usual_width), *WIDTH)
             + .9 * clipped((1 - ratio) / .24, 0, 1) + .3 * clipped((behind - 1) / .4, 0, 1) > 1.3) & (from_usual > .3)
    not_told = d > 5
    is_v = np.where(d > .5, alone, v_templates[of]) & ~not_told & (odd >= LEAST_ODD)
    far_ratio = rr / ranking.around(rr[1:], len(rr), ranking.QUANTILE, ranking.REACH)
    is_s = early(rr, is_v | not_told, far_ratio)
    kind = np.where(not_told, 4, np.where(is_s, 1, np.where(is_v, 2, 0)))
    is_f = fusion(centres, apart, is_early, counts, v_templates, usual)[of] & (d <= .5)
    return np.stack([of, np.where(is_f & (kind != 1) & (kind != 4), 3, kind)], 1)


if __name__ == "__main__":
    csv, sample_rate, r_peaks, scores, out = sys.argv[1:]
    samples = np.loadtxt(csv, skiprows=1, dtype=np.float32).astype(np.float64)
    odd_scores = np.load(scores)[:, 1].astype(np.float64)
    np.save(out, kinds(samples, float(sample_rate), np.load(r_peaks), odd_scores).astype(np.int64))
