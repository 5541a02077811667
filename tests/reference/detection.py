#!/usr/bin/env python3
"""Reference beat detector in numpy: every step is a convolution, a sliding maximum, a block median or a rule that
looks at a bounded number of neighbouring candidates, so that it maps onto a GPU without a serial pass.

    python3 detection.py FOLDER [--leads N] [--records] [--robust] [--ablate]   # FOLDER: WFDB records (.hea .dat .atr)

Missing samples must be bridged beforehand. All constants are in seconds, hertz or ratios, so that none depends on the
rate.
"""
import argparse
import dataclasses
import glob
import os
import sys

import numpy as np


@dataclasses.dataclass(frozen=True)
class Params:
    """All constants of the detector."""
    band1_hz: float = 15.0       # centre of the QRS band
    band2_hz: float = 26.0       # centre of the second band, tells QRS (sharp) from T waves (blunt)
    smooth_s: float = 0.040      # sigma of the Gaussian that smooths |band|
    kernel_eps: float = 1e-6     # kernels end where they stay below this fraction of their largest value
    nms_s: float = 0.210         # a candidate is the largest envelope value within +- this
    edge_s: float = 0.050        # candidates nearer than this to either end of the recording are dropped
    block_s: float = 2.0         # length of the blocks whose maxima give the local level
    level_blocks: int = 3        # local level: median of the block maxima within +- this many blocks
    floor_local: float = 0.10    # level >= this times the median of all block maxima (flat stretches)
    floor_peak: float = 1e-4     # level >= this times the largest block maximum that near (rounding noise)
    keep: float = 0.34           # a candidate of at least this height (in levels) is a beat
    t1_s: float = 0.380          # T wave rule 1: at most this long after a higher one ...
    t1_height: float = 0.45      # ... and lower than this fraction of it
    t2_s: float = 0.440          # T wave rule 2: at most this long after a higher one ...
    t2_band2: float = 0.40       # ... whose second-band height it does not reach this fraction of ...
    t2_height: float = 1.0       # ... and lower than this fraction of it
    sb_rounds: int = 2           # rounds of search-back, each adds at most one beat per gap
    sb_gap: float = 1.40         # gaps longer than this times the local median RR are searched
    sb_beats: int = 8            # local median RR: over the gap itself and this many intervals on either side
    sb_height: float = 0.24      # lowest height that search-back accepts
    sb_min_s: float = 0.350      # a found beat is more than max(sb_min_s, sb_pre RR) after the beat before
    sb_pre: float = 0.40
    sb_post: float = 0.50        # ... and more than sb_post RR before the beat after
    sb_look: int = 32            # search-back looks at no more than this many candidates after the gap's first beat
    noise_begins: float = 13.0   # clarity below which beats are dropped by height and neighbours ...
    noise_full: float = 9.0      # ... and below which that is all that counts
    noise_rounds: int = 2        # rounds of dropping
    noise_regained: float = 0.6  # a dropped beat of this height comes back if it leaves a gap that search-back fills
    blend_hz: float = 36.0       # band that is blended into the envelope where there is noise
    blend_begins: float = 12.0   # clarity below which it is blended in ...
    blend_full: float = 8.0      # ... and below which it is as much as its own clarity allows
    blend_rate: float = 2.2      # the rate is at least this times blend_hz, else nothing is blended
    rest_samples: int = 64       # samples of a block that its rest is taken from
    peak_hz: float = 6.0         # band in which the R peak is placed
    peak_s: float = 0.030        # sigma of the Gaussian weight around the envelope peak
    peak_reach_s: float = 0.100  # the R peak is within +- this of the envelope peak
    rectify: bool = True         # False only for the ablation: positive half instead of the absolute value


def ricker(f0, fs, eps):
    """Returns an odd-length FIR with response (f/f0)^2 exp(1-(f/f0)^2): (1-u^2) exp(-u^2/2), u = t/s, s = 1/(sqrt(2) pi
    f0); truncated where below eps of the maximum, mean removed (a constant gives exactly 0), gain 1 at f0."""
    s = 1 / (np.sqrt(2) * np.pi * f0)
    n = int(np.ceil(8 * s * fs))
    u = np.arange(-n, n + 1) / (fs * s)
    k = (1 - u * u) * np.exp(-u * u / 2)
    n -= np.flatnonzero(np.abs(k) >= eps)[0]
    k = k[len(k) // 2 - n:len(k) // 2 + n + 1]
    gain = np.sum(k * np.cos(2 * np.pi * f0 * np.arange(-n, n + 1) / fs))
    return (k - k.mean()) / gain


def gauss(sigma, fs, eps):
    """Returns an odd-length Gaussian of unit sum, truncated where below eps of the maximum."""
    n = int(np.floor(np.sqrt(-2 * np.log(eps)) * sigma * fs))
    k = np.exp(-0.5 * (np.arange(-n, n + 1) / (fs * sigma)) ** 2)
    return k / k.sum()


def convolve(x, k, edge):
    """Returns the convolution of x (n,) with the odd symmetric kernel k, of x's length. Outside x is its end value
    (edge) or 0. It works in overlapping FFT blocks; direct evaluation gives the same to rounding."""
    r = len(k) // 2
    x = np.pad(x, r, mode="edge" if edge else "constant")
    m = 1 << 14
    kf = np.fft.rfft(k, m)
    out = np.empty(len(x) - 2 * r)
    step = m - 2 * r
    for i in range(0, len(out), step):
        y = np.fft.irfft(np.fft.rfft(x[i:i + m], m) * kf, m)[2 * r:]
        out[i:i + step] = y[:len(out) - i]
    return out


def window_max(x, left, right):
    """Returns y (n,), the maximum of x over [i-left, i+right] clipped to the recording, by doubling windows (log2
    sweeps)."""
    w, m = left + right + 1, 1
    v = np.concatenate([np.full(left, -np.inf), x, np.full(max(right, 0), -np.inf)])
    while 2 * m <= w:
        v, m = np.maximum(v[:-m], v[m:]), 2 * m
    return np.maximum(v[:len(x)], v[w - m:w - m + len(x)])


def around(v, r, f):
    """Returns f over the values within +-r of each value of v (n,)."""
    return np.array([f(v[max(0, i - r):i + r + 1]) for i in range(len(v))])


@dataclasses.dataclass
class Blocks:
    """What an envelope tells of each block; all but the length are (blocks,)."""
    length: int                  # samples; the last block takes up a remainder shorter than half a block
    top: np.ndarray              # largest value
    level: np.ndarray            # local level
    clarity: np.ndarray          # level / the local median of the value that a quarter of the block lies below
    contrast: np.ndarray         # level / the local median of the block's median

    def of(self, i):
        """Maps samples i to their blocks."""
        return np.minimum(i // self.length, len(self.top) - 1)

    def between(self, v, n):
        """Returns v (blocks,) at all of n samples, on straight lines between the middles of blocks."""
        return np.interp(np.arange(n), (np.arange(len(v)) + 0.5) * self.length - 0.5, v)


def measure(env, fs, p):
    """Measures the blocks of an envelope. The level is the median over +-level_blocks of block maxima, floored. The
    rest is taken from rest_samples values of a block, evenly spread."""
    b = max(1, round(p.block_s * fs))
    n = max(1, (len(env) + b // 2) // b)
    ends = [(i * b, (i + 1) * b if i + 1 < n else len(env)) for i in range(n)]
    top = np.array([env[i:j].max() for i, j in ends])
    rest = np.array([np.sort(env[i + np.arange(p.rest_samples) * (j - i) // p.rest_samples]) for i, j in ends])
    r, pos = p.level_blocks, top[top > 0]
    lev, median = np.ones(n), lambda v: np.median(v[v > 0]) if (v > 0).any() else 0
    if len(pos):
        lev = np.max([around(top, r, median), np.full(n, p.floor_local * np.median(pos)),
                      p.floor_peak * around(top, r, np.max)], axis=0)
    over = [np.minimum(lev / np.maximum(around(rest[:, k], r, median), 1e-30), 1e6)
            for k in (p.rest_samples // 4, p.rest_samples // 2)]
    return Blocks(b, top, lev, *over)


def clipped(x, fs, p):
    """Clips samples far out, if they are in few blocks. A usual block's range is the 90 % quantile of all ranges. Far out
    is what makes a range of more than 20 of these; it is clipped to 3 on either side of the usual block's middle."""
    b = max(1, round(p.block_s * fs))
    n = max(1, (len(x) + b // 2) // b)
    low, high = np.array([(v.min(), v.max()) for v in np.split(x, b * np.arange(1, n))]).T
    usual = np.sort(high - low)[9 * (n - 1) // 10]
    far = np.count_nonzero(high - low > 20 * usual)
    if usual == 0 or far == 0 or far > max(2, n // 50):
        return x
    middle = np.sort((low + high) / 2)[n // 2]
    return np.clip(x, middle - 3 * usual, middle + 3 * usual)


def noise_share(clarity, begins, full):
    """Maps clarity to 0 where there is none, 1 where there is nothing else; on a straight line in its logarithm."""
    return np.clip(np.log(begins / clarity) / np.log(begins / full), 0, 1)


def envelope(x, fs, hz, p):
    """Returns |x in the band hz|, smoothed."""
    act = np.abs if p.rectify else lambda v: np.maximum(v, 0)
    band = act(convolve(x, ricker(hz, fs, p.kernel_eps), True))
    return np.maximum(convolve(band, gauss(p.smooth_s, fs, p.kernel_eps), False), 0)


def lead_envelope(x, fs, p):
    """Returns a lead's envelope, its blocks and the noise in them. Where there is noise, a second band is blended in
    if beats stand out of it, and not much more than out of the first (pacing spikes do)."""
    env = envelope(x, fs, p.band1_hz, p)
    b = measure(env, fs, p)
    noise = noise_share(b.clarity, p.noise_begins, p.noise_full)
    share = noise_share(b.clarity, p.blend_begins, p.blend_full)
    if fs < p.blend_rate * p.blend_hz or not share.any():
        return env, b, noise
    sharp = envelope(x, fs, p.blend_hz, p)
    s = measure(sharp, fs, p)
    share *= np.clip(s.contrast - 2, 0, 1) * (s.contrast < 15) * np.clip((1.3 - s.contrast / b.contrast) / 0.2, 0, 1)
    if share.any():
        own = b.of(np.arange(len(x)))
        k = share[own]
        u, v = np.maximum(env / b.level[own], 1e-12), np.maximum(sharp / s.level[own], 1e-12)
        env = np.where(k > 0, b.level[own] * u ** (1 - k) * v ** k, env)
        b = measure(env, fs, p)
    return env, b, noise


def weights(leads):
    """Returns the weight (leads, blocks) of each lead. A lead that hardly moves counts next to nothing there and in the
    blocks beside, while another lead has beats. Missing and still stretches are not known here."""
    w = []
    for _, b, _ in leads:
        heard = np.pad(np.where(b.top > 0, np.clip((b.top / b.level - 0.1) / 0.2, 1e-3, 1), 1), 1, mode="edge")
        heard = np.minimum(np.minimum(heard[:-2], heard[1:-1]), heard[2:])
        w.append(np.where(b.top > 0, np.sqrt(np.clip(b.contrast, 1, 30)) * heard, 0))
    w = np.array(w)
    return w / np.where(w.sum(0) > 0, w.sum(0), 1)


def fuse(leads, w):
    """Makes one envelope of all leads. u / (0.4 + u) keeps a wave of one lead, however high, from making a beat."""
    n, total = len(leads[0][0]), 0
    for (env, b, _), wl in zip(leads, w):
        u = env / b.between(b.level, n)
        total = total + b.between(wl, n) * (u / (0.4 + u))
    total = np.minimum(total, 0.999)
    return 0.4 * total / (1 - total)


@dataclasses.dataclass
class Candidates:
    c: np.ndarray                # (c,) samples
    h: np.ndarray                # (c,) heights in local levels
    h2: np.ndarray               # (c,) heights in the second band, compared only with each other
    noise: np.ndarray            # (c,) share of noise
    block: np.ndarray            # (c,) block
    w: np.ndarray                # (leads, blocks) weights


def silence_faint(c, h, h2, loud, noise, block):
    """Sets the heights h (c,) of P waves of a standstill to 0. They count only because the local level fell (loud < 0.45
    of the usual level), and are blunt. What is lower and within a block of one is none either."""
    env, sharp = h * loud, h2 / np.maximum(h, 1e-30)
    usual = sharp[(env >= 0.5) & (noise == 0)]
    if len(usual) < 60:
        return h
    wave = (env < 0.2) & (loud < 0.45) & (sharp < 0.78 * np.median(usual))
    out = h.copy()
    for j in range(-8, 9):
        other = np.roll(np.arange(len(c)), -j)
        near = (np.abs(c[other] - c) <= block) & wave[other] & (env <= env[other])
        out[near] = 0
    return out


def candidates(xs, fs, p):
    """Maps the leads xs (leads, n), in any unit, to the peaks of their envelope."""
    leads = [lead_envelope(x, fs, p) for x in xs]
    env, blocks, noise = leads[0]
    w = np.ones((1, len(blocks.top)))
    if len(leads) > 1:
        w = weights(leads)
        env = fuse(leads, w)
        blocks = measure(env, fs, p)
        noise = np.minimum(noise_share(blocks.clarity, p.noise_begins, p.noise_full),
                           sum(wl * lead[2] for wl, lead in zip(w, leads)))
    r, e = round(p.nms_s * fs), round(p.edge_s * fs)
    # The first of equal values is taken: it is greater than all before it, and not less than those after it.
    c = np.flatnonzero((env > 0) & (env > window_max(env, r, -1)) & (env >= window_max(env, 0, r)))
    c = c[(c >= e) & (c < len(env) - e)]
    at = blocks.of(c)
    h2 = [envelope(x, fs, p.band2_hz, p)[c] for x in xs]
    if len(leads) > 1:
        h2 = [v * wl[at] / b.level[at] for v, wl, (_, b, _) in zip(h2, w, leads)]
    loud = sum(wl * b.level / np.median(b.level) for wl, (_, b, _) in zip(w, leads))
    h = silence_faint(c, env[c] / blocks.level[at], sum(h2) / (blocks.level[at] if len(leads) == 1 else 1), loud[at],
                      noise[at], blocks.length)
    return Candidates(c, h, sum(h2), noise[at], at, w)


def t_waves(t, h, h2, p):
    """Maps t (c,) in seconds, h and h2 (c,) to beats (c,) bool: candidates that are high enough and no T wave. A
    candidate is a T wave if either rule holds against one of the two candidates before it. (Candidates are > nms_s
    apart, so t2_s reaches no further.) The earlier candidate must be high enough, but need not be a beat. So one round
    is enough; a chain would change nothing."""
    high = h >= p.keep
    t_wave = np.zeros(len(t), bool)
    for j in (1, 2):
        dt = t[j:] - t[:-j]
        rule1 = (dt <= p.t1_s) & (h[j:] < p.t1_height * h[:-j])
        rule2 = (dt <= p.t2_s) & (h2[j:] < p.t2_band2 * h2[:-j]) & (h[j:] < p.t2_height * h[:-j])
        t_wave[j:] |= high[:-j] & (rule1 | rule2)
    return high & ~t_wave


def search_back(t, h, beat, p):
    """Makes one round of search-back: returns beat (c,) bool with at most one more beat in every long gap. Gaps do not
    depend on each other."""
    k = np.flatnonzero(beat)
    if len(k) < 3:
        return beat
    rr = np.diff(t[k])
    out, w = beat.copy(), p.sb_beats
    for i in range(len(rr)):
        ref = np.median(rr[max(0, i - w):i + w + 1])
        if rr[i] <= p.sb_gap * ref:
            continue
        j = np.arange(k[i] + 1, min(k[i + 1], k[i] + 1 + p.sb_look))
        ok = (h[j] >= p.sb_height) & (t[j] - t[k[i]] > max(p.sb_min_s, p.sb_pre * ref)) & (t[k[i + 1]] - t[j] > p.sb_post * ref)
        if ok.any():
            out[j[ok][np.argmax(h[j[ok]])]] = True       # the first of equal values
    return out


def r_peaks(x, fs, c, p):
    """Returns the positions (c,) in samples, with a fraction. A position is that of the largest |y| exp(-d^2 / 2
    peak_s^2) within peak_reach_s of the envelope peak, where y is x in the band peak_hz and d the distance from the
    envelope peak. A parabola through the largest value and its neighbours gives the fraction."""
    y = np.abs(convolve(x, ricker(p.peak_hz, fs, p.kernel_eps), True))
    o = np.arange(-int(p.peak_reach_s * fs), int(p.peak_reach_s * fs) + 1)
    v = y[np.clip(c[:, None] + o, 0, len(x) - 1)] * np.exp(-0.5 * (o / (fs * p.peak_s)) ** 2)
    i = np.argmax(v, axis=1)
    n = np.arange(len(c))
    a, b, d = v[n, np.maximum(i - 1, 0)], v[n, i], v[n, np.minimum(i + 1, len(o) - 1)]
    curve = a - 2 * b + d
    sub = np.where((curve < 0) & (i > 0) & (i < len(o) - 1), 0.5 * (a - d) / np.where(curve < 0, curve, -1), 0)
    return np.clip(c + o[i] + np.clip(sub, -0.5, 0.5), 0, len(x) - 1)


def usual_rr(rr, reach=40, q=0.7):
    """Returns the q-quantile of rr[i - reach] .. rr[i + reach - 1] for each i."""
    return np.array([np.quantile(rr[max(0, i - reach):i + reach], q) for i in range(len(rr))])


def drop_noise(t, h, noise, found, p):
    """Drops beats of found (c,) bool where there is noise, by their height and by what is higher near them. Each round
    starts from the same beats; only the usual RR interval changes."""
    lh = np.log(np.maximum(h, 1e-6))

    def above(within):
        best = np.full(len(t), -3.0)
        for j in range(1, 5):
            dt = t[j:] - t[:-j]
            best[j:] = np.where(dt <= within[j:], np.maximum(best[j:], lh[:-j]), best[j:])
            best[:-j] = np.where(dt <= within[:-j], np.maximum(best[:-j], lh[j:]), best[:-j])
        return np.clip(lh - best, -1.5, 1.5)
    beat = found
    for _ in range(p.noise_rounds):
        k = np.flatnonzero(beat)
        if len(k) < 3:
            return beat
        gap = np.clip(np.searchsorted(k, np.arange(len(t)), side="right") - 1, 0, len(k) - 2)
        rr = usual_rr(np.diff(t[k]))[gap]
        z = lh + 0.75 * above(np.minimum(0.6 * rr, 0.8)) + 0.9 * above(np.minimum(0.9 * rr, 1.2)) + 0.65
        beat = found & ((noise == 0) | (z > -(1 - noise) / np.where(noise > 0, noise, 1)))
    return search_back(t, np.where(found & ~beat, h, 0), beat, dataclasses.replace(p, sb_height=p.noise_regained))


def detect(xs, fs, p=Params()):
    """Maps the leads xs (n,) or (leads, n), in any unit, and fs in Hz to R peaks (beats,) in seconds, ascending."""
    xs = np.atleast_2d(np.asarray(xs, float))
    if xs.shape[1] < 2:
        return np.zeros(0)
    xs = np.array([clipped(x, fs, p) for x in xs])
    xs = xs - np.median(xs, axis=1, keepdims=True)
    k = candidates(xs, fs, p)
    t = k.c / fs
    beat = t_waves(t, k.h, k.h2, p)
    for _ in range(p.sb_rounds):
        beat = search_back(t, k.h, beat, p)
    if (k.noise > 0).any():
        beat = drop_noise(t, k.h, k.noise, beat, p)
    # An R peak is placed in the lead of the largest mean weight, or in the clearest where that one has little weight. It
    # comes so much later in another lead than in that one as it does on average.
    peaks = np.array([r_peaks(x, fs, k.c[beat], p) for x in xs])
    w, reference = k.w[:, k.block[beat]], np.argmax(k.w.mean(axis=1))
    both = (w >= 0.5 / len(w)) & (w[reference] >= 0.5 / len(w))
    peaks -= [[np.median(own[b] - peaks[reference][b]) if b.any() else 0] for own, b in zip(peaks, both)]
    lead = np.where(w[reference] >= 0.5 / len(w), reference, np.argmax(w, axis=0))
    return np.sort(peaks[lead, np.arange(len(lead))]) / fs


# ---------------------------------------------------------------------------------------------------------- evaluation

BEATS = set("NLRBejAaJSVEF/fQn?r")


def load(folder, leads=1):
    """Returns a list of (name, rate, x (leads, n) mV, beat times (b,) s, flutter episodes [(from, to) s])."""
    import wfdb
    out = []
    for path in sorted(glob.glob(os.path.join(folder, "*.hea"))):
        path = path[:-4]
        rec, ann = wfdb.rdrecord(path), wfdb.rdann(path, "atr")
        x, fs, t = rec.p_signal.T[:leads].copy(), float(rec.fs), ann.sample / float(rec.fs)
        for lead in x:
            bad = np.isnan(lead)
            if bad.any():
                lead[bad] = np.interp(np.flatnonzero(bad), np.flatnonzero(~bad), lead[~bad]) if not bad.all() else 0
        starts = [u for u, s in zip(t, ann.symbol) if s == "["]
        stops = [u for u, s in zip(t, ann.symbol) if s == "]"] + [x.shape[1] / fs]
        episodes = [(u, min(v for v in stops if v >= u)) for u in starts]
        out.append((os.path.basename(path), fs, x, t[[s in BEATS for s in ann.symbol]], episodes))
    return out


def match(ref, det, tol):
    """Matches ascending times one to one within tol seconds, greedily from the left, which gives the most pairs.
    Returns TP, FP, FN."""
    i = j = tp = 0
    while i < len(ref) and j < len(det):
        d = det[j] - ref[i]
        if abs(d) <= tol + 1e-9:
            tp, i, j = tp + 1, i + 1, j + 1
        elif d < 0:
            j += 1
        else:
            i += 1
    return np.array([tp, len(det) - tp, len(ref) - tp])


def f1(m):
    """Returns F1 of (TP, FP, FN) in percent."""
    return 200 * m[0] / max(1, 2 * m[0] + m[1] + m[2])


def evaluate(records, p=Params(), change=None, show=False):
    """Returns 3 x 3 counts: within 150 ms, within 50 ms, and within 150 ms with ventricular flutter. The first two
    leave out detections in flutter episodes ([ ... ], where no beats are annotated), as ANSI/AAMI EC57 does."""
    total = np.zeros((3, 3), int)
    for name, fs, x, ref, episodes in records:
        y, fy = change(x, fs) if change else (x, fs)
        det = detect(y, fy, p)
        out, keep = (np.array([not any(a <= u <= b for a, b in episodes) for u in v], bool) for v in (det, ref))
        m = np.array([match(ref[keep], det[out], 0.15), match(ref[keep], det[out], 0.05), match(ref, det, 0.15)])
        total += m
        if show:
            line(name, m)
    return total


def line(name, m):
    print(f"{name:<28}" + "  ".join(f"{f1(v):7.3f} {v[0]:6d} {v[1]:4d} {v[2]:4d}" for v in m), flush=True)


def resampled(rate):
    """Changes a signal to another rate by scipy's polyphase filter."""
    from fractions import Fraction
    from scipy.signal import resample_poly

    def change(x, fs):
        q = Fraction(rate / fs).limit_denominator(1000)
        return resample_poly(x - x[:, :1], q.numerator, q.denominator, axis=1) + x[:, :1], fs * q.numerator / q.denominator
    return change


def noisy_leads(x, fs):
    """Makes two leads of a clean one. Each has noise like that of a moving electrode for a while, the first for two
    thirds of the time; a sample of the second is far out."""
    rng, n = np.random.default_rng(17), len(x)
    a, b = (v / v.std() * x.std() for v in (convolve(w, gauss(0.02, fs, 1e-6), False) for w in rng.normal(size=(2, n))))
    first, second = x.copy(), -0.6 * x
    first[n // 3:] += 1.2 * a[n // 3:]
    second[:n // 4] += b[:n // 4]
    second[n // 2] = 1e6
    return np.array([first, second]).astype(np.float32)


def main():
    a = argparse.ArgumentParser(description="Evaluates the reference detector on a folder of WFDB records.")
    a.add_argument("folder")
    for o in ("records", "robust", "ablate"):
        a.add_argument("--" + o, action="store_true")
    a.add_argument("--leads", type=int, default=1, help="number of signals that are used together")
    a.add_argument("--csv", nargs=2, metavar=("RATE", "OUT.npy"), help="FOLDER is a CSV: store its R peaks, in samples")
    a.add_argument("--noisy", nargs=2, metavar=("RATE", "OUT"), help="FOLDER is a CSV: store two noisy leads of its "
                   "first minute and their R peaks, each alone and together, in samples")
    a = a.parse_args()
    if a.noisy:
        rate, out = float(a.noisy[0]), a.noisy[1]
        leads = noisy_leads(np.loadtxt(a.folder, skiprows=1, ndmin=1)[:int(60 * rate)], rate)
        os.makedirs(out, exist_ok=True)
        for name, chosen in (("0", leads[:1]), ("1", leads[1:]), ("both", leads)):
            np.save(os.path.join(out, f"r_peaks_{name}.npy"), detect(chosen, rate) * rate)
        return [np.save(os.path.join(out, f"lead_{i}.npy"), lead) for i, lead in enumerate(leads)]
    if a.csv:
        x, rate = np.loadtxt(a.folder, skiprows=1, dtype=np.float32, ndmin=1), float(a.csv[0])
        return np.save(a.csv[1], detect(x, rate) * rate)
    records = load(a.folder, a.leads)
    if not records:
        sys.exit("no records in " + a.folder)
    print(" " * 28 + "  ".join(f"{h:<24}" for h in ("150 ms: F1 TP FP FN", "50 ms", "150 ms, with flutter")))
    line("all", evaluate(records, show=a.records))
    if a.robust:
        for r in (125, 128, 250, 500, 1000):
            line(f"{r} Hz", evaluate(records, change=resampled(r)))
        for name, fun in (("x0.2", lambda x: 0.2 * x), ("x5", lambda x: 5 * x), ("inverted", lambda x: -x), ("+5 mV", lambda x: x + 5)):
            line(name, evaluate(records, change=lambda x, fs, fun=fun: (fun(x), fs)))
    if a.ablate:
        for name, change in (("without absolute value", dict(rectify=False)), ("without local level", dict(level_blocks=10 ** 6)),
                             ("without search-back", dict(sb_rounds=0)), ("without T wave rule 1", dict(t1_height=0)),
                             ("without second band (rule 2)", dict(t2_band2=0)), ("without T wave rules", dict(t1_height=0, t2_band2=0)),
                             ("without edge rule", dict(edge_s=0)), ("without dropping in noise", dict(noise_rounds=0)), ("without blending", dict(blend_rate=1e9)),
                             ("R at envelope peak", dict(peak_reach_s=0)),
                             ("R in 15 Hz band", dict(peak_hz=15.0))):
            line(name, evaluate(records, dataclasses.replace(Params(), **change)))


if __name__ == "__main__":
    main()
