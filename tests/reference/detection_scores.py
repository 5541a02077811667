"""Evaluates a beat detector on WFDB records: see detection.py."""
import glob
import os

import numpy as np

from detection_envelope import convolve, gauss

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


def evaluate(records, detect, p, change=None, show=False):
    """Evaluates detect(x, rate, p). Returns 3 x 3 counts: within 150 ms, within 50 ms, and within 150 ms with ventricular flutter. The first two
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
    """Resamples a signal by scipy's polyphase filter."""
    from fractions import Fraction
    from scipy.signal import resample_poly

    def change(x, fs):
        q = Fraction(rate / fs).limit_denominator(1000)
        return resample_poly(x - x[:, :1], q.numerator, q.denominator, axis=1) + x[:, :1], fs * q.numerator / q.denominator
    return change


def noisy_leads(x, fs):
    """Makes two leads from a clean one. Each has temporary electrode-motion noise, the first for two thirds of the
    time; a sample of the second is outlying."""
    rng, n = np.random.default_rng(17), len(x)
    a, b = (v / v.std() * x.std() for v in (convolve(w, gauss(0.02, fs, 1e-6), False) for w in rng.normal(size=(2, n))))
    first, second = x.copy(), -0.6 * x
    first[n // 3:] += 1.2 * a[n // 3:]
    second[:n // 4] += b[:n // 4]
    second[n // 2] = 1e6
    return np.array([first, second]).astype(np.float32)
