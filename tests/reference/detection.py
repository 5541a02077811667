#!/usr/bin/env python3
"""Reference beat detector in numpy: every step is a convolution, a sliding maximum, a block median or a rule on a
bounded number of neighbouring candidates, so that it maps onto a GPU without a serial pass.

    python3 detection.py FOLDER [--leads N] [--records] [--robust] [--ablate]   # FOLDER: WFDB records (.hea .dat .atr)

Missing samples must be bridged beforehand. All constants are in seconds, hertz or ratios, so that none depends on the
rate.
"""
import argparse
import dataclasses
import os
import sys

import numpy as np

from detection_envelope import (clipped, convolve, envelope, fuse, lead_envelope, measure, noise_share, ricker, weights,
                                window_max)
from detection_scores import evaluate, line, load, noisy_leads, resampled


@dataclasses.dataclass(frozen=True)
class Params:
    """All constants of the detector."""
    band1_hz: float = 15.0       # centre of the QRS band
    band2_hz: float = 26.0       # centre of the second band, separates QRS (sharp) from T waves (low-slope)
    smooth_s: float = 0.040      # sigma of the Gaussian that smooths |band|
    kernel_eps: float = 1e-6     # kernels are truncated where they stay below this fraction of their largest value
    nms_s: float = 0.210         # a candidate is the largest envelope value within +- this
    edge_s: float = 0.050        # candidates closer than this to either end of the recording are removed
    block_s: float = 2.0         # length of the blocks whose maxima give the local level
    level_blocks: int = 3        # local level: median of the block maxima within +- this many blocks
    floor_local: float = 0.10    # level >= this times the median of all block maxima (flat segments)
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
    sb_min_s: float = 0.350      # a beat found is more than max(sb_min_s, sb_pre RR) after the previous beat
    sb_pre: float = 0.40
    sb_post: float = 0.50        # ... and more than sb_post RR before the next beat
    sb_look: int = 32            # search-back checks at most this many candidates after the gap's first beat
    sharp_gap: float = 1.20      # the same of sharp candidates: their height in the second band over that in the first
    sharp_height: float = 0.20
    sharp_min_s: float = 0.300
    sharp_post: float = 0.90
    sharp_least: float = 1.1     # ... is within these times the median of the beats around
    sharp_most: float = 1.5
    noise_begins: float = 13.0   # signal-to-noise ratio below which beats are removed by height and neighbours ...
    noise_full: float = 9.0      # ... and below which nothing else counts
    noise_rounds: int = 2        # rounds of removal
    noise_regained: float = 0.6  # a removed beat of this height is restored if it leaves a gap that search-back fills
    blend_hz: float = 36.0       # band that is blended into the envelope in noise
    blend_begins: float = 12.0   # signal-to-noise ratio below which it is blended in ...
    blend_full: float = 8.0      # ... and below which it has the full weight that its own signal-to-noise ratio allows
    blend_rate: float = 2.2      # the rate is at least this times blend_hz, else nothing is blended
    rest_samples: int = 64       # samples of a block that its noise floor is computed from
    peak_hz: float = 6.0         # band in which the R peak is placed
    peak_s: float = 0.030        # sigma of the Gaussian weight around the envelope peak
    peak_reach_s: float = 0.100  # the R peak is within +- this of the envelope peak
    rectify: bool = True         # False only for the ablation: positive half instead of the absolute value


@dataclasses.dataclass
class Candidates:
    c: np.ndarray                # (c,) samples
    h: np.ndarray                # (c,) heights in local levels
    h2: np.ndarray               # (c,) heights in the second band, compared only with each other
    noise: np.ndarray            # (c,) share of noise
    block: np.ndarray            # (c,) block
    w: np.ndarray                # (leads, blocks) weights


def candidates(xs, fs, p):
    """Maps the leads xs (leads, n), in any unit, to the peaks of their envelope."""
    leads = [lead_envelope(x, fs, p) for x in xs]
    env, blocks, noise = leads[0]
    w = np.ones((1, len(blocks.top)))
    if len(leads) > 1:
        w = weights(leads, p)
        env = fuse(leads, w)
        blocks = measure(env, fs, p)
        noise = np.minimum(noise_share(blocks.snr, p.noise_begins, p.noise_full),
                           sum(wl * lead[2] for wl, lead in zip(w, leads)))
    r, e = round(p.nms_s * fs), round(p.edge_s * fs)
    # The first of equal values is taken: it is greater than all before it, and not less than those after it.
    c = np.flatnonzero((env > 0) & (env > window_max(env, r, -1)) & (env >= window_max(env, 0, r)))
    c = c[(c >= e) & (c < len(env) - e)]
    at = blocks.of(c)
    h2 = [envelope(x, fs, p.band2_hz, p)[c] for x in xs]
    if len(leads) > 1:
        h2 = [v * wl[at] / b.level[at] for v, wl, (_, b, _) in zip(h2, w, leads)]
    h = env[c] / blocks.level[at]
    return Candidates(c, h, sum(h2), noise[at], at, w)


def t_waves(t, h, h2, p):
    """Maps t (c,) in seconds, h and h2 (c,) to beats (c,) bool: candidates that are high enough and not a T wave. A
    candidate is a T wave if either rule holds against one of the two previous candidates. (Candidates are > nms_s
    apart, so t2_s reaches no further.) The earlier candidate must be high enough, but need not be a beat. So one round
    suffices; a chain would change nothing."""
    high = h >= p.keep
    t_wave = np.zeros(len(t), bool)
    for j in (1, 2):
        dt = t[j:] - t[:-j]
        rule1 = (dt <= p.t1_s) & (h[j:] < p.t1_height * h[:-j])
        rule2 = (dt <= p.t2_s) & (h2[j:] < p.t2_band2 * h2[:-j]) & (h[j:] < p.t2_height * h[:-j])
        t_wave[j:] |= high[:-j] & (rule1 | rule2)
    return high & ~t_wave


def search_back(t, h, h2, beat, p):
    """Runs one round of search-back: returns beat (c,) bool with at most one more beat in every long gap. Gaps are
    independent of each other."""
    k = np.flatnonzero(beat)
    if len(k) < 3:
        return beat
    rr = np.diff(t[k])
    out, w = beat.copy(), p.sb_beats
    sharp = np.where(h > 0, h2, 0) / np.where(h > 0, h, 1)
    for i in range(len(rr)):
        ref = np.median(rr[max(0, i - w):i + w + 1])
        j = np.arange(k[i] + 1, min(k[i + 1], k[i] + 1 + p.sb_look))
        since, left = t[j] - t[k[i]], t[k[i + 1]] - t[j]
        ok = (h[j] >= p.sb_height) & (since > max(p.sb_min_s, p.sb_pre * ref)) & (left > p.sb_post * ref)
        ok &= rr[i] > p.sb_gap * ref
        if rr[i] > p.sharp_gap * ref:
            near = k[max(0, i - w):i + w + 1]
            near = near[h[near] > 0]
            of = sharp[j] / np.median(sharp[near]) if len(near) else np.zeros(len(j))
            ok |= ((h[j] >= p.sharp_height) & (since > p.sharp_min_s) & (left > p.sharp_post * ref)
                   & (of >= p.sharp_least) & (of <= p.sharp_most))
        if ok.any():
            out[j[ok][np.argmax(h[j[ok]])]] = True       # the first of equal values
    return out


def r_peaks(x, fs, c, p):
    """Returns the positions (c,) in samples, with a fraction. A position is the maximum of |y| exp(-d^2 / 2 peak_s^2)
    within peak_reach_s of the envelope peak, where y is x in the band peak_hz and d the distance from the envelope
    peak. A parabola through the maximum and its neighbours gives the fraction."""
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
    """Removes beats of found (c,) bool in noise, by their height and by higher candidates near them. Each round starts
    from the same beats; only the reference RR interval changes."""
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
    return search_back(t, np.where(found & ~beat, h, 0), h, beat,
                       dataclasses.replace(p, sb_height=p.noise_regained, sharp_gap=np.inf))


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
        beat = search_back(t, k.h, k.h2, beat, p)
    if (k.noise > 0).any():
        beat = drop_noise(t, k.h, k.noise, beat, p)
    # An R peak is placed in the lead of the largest mean weight, or in the clearest one where that lead has little
    # weight. Peaks from another lead are corrected by its average delay relative to the first.
    peaks = np.array([r_peaks(x, fs, k.c[beat], p) for x in xs])
    w, reference = k.w[:, k.block[beat]], np.argmax(k.w.mean(axis=1))
    both = (w >= 0.5 / len(w)) & (w[reference] >= 0.5 / len(w))
    peaks -= [[np.median(own[b] - peaks[reference][b]) if b.any() else 0] for own, b in zip(peaks, both)]
    lead = np.where(w[reference] >= 0.5 / len(w), reference, np.argmax(w, axis=0))
    return np.sort(peaks[lead, np.arange(len(lead))]) / fs


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
    line("all", evaluate(records, detect, Params(), show=a.records))
    if a.robust:
        for r in (125, 128, 250, 500, 1000):
            line(f"{r} Hz", evaluate(records, detect, Params(), change=resampled(r)))
        for name, fun in (("x0.2", lambda x: 0.2 * x), ("x5", lambda x: 5 * x), ("inverted", lambda x: -x), ("+5 mV", lambda x: x + 5)):
            line(name, evaluate(records, detect, Params(), change=lambda x, fs, fun=fun: (fun(x), fs)))
    if a.ablate:
        for name, change in (("without absolute value", dict(rectify=False)), ("without local level", dict(level_blocks=10 ** 6)),
                             ("without search-back", dict(sb_rounds=0)), ("without sharp beats", dict(sharp_gap=np.inf)), ("without T wave rule 1", dict(t1_height=0)),
                             ("without second band (rule 2)", dict(t2_band2=0)), ("without T wave rules", dict(t1_height=0, t2_band2=0)),
                             ("without edge rule", dict(edge_s=0)), ("without dropping in noise", dict(noise_rounds=0)), ("without blending", dict(blend_rate=1e9)),
                             ("R at envelope peak", dict(peak_reach_s=0)),
                             ("R in 15 Hz band", dict(peak_hz=15.0))):
            line(name, evaluate(records, detect, dataclasses.replace(Params(), **change)))


if __name__ == "__main__":
    main()
