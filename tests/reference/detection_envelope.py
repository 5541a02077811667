"""Filters, blocks and envelopes of the reference beat detector: see detection.py, whose Params these functions take."""
import dataclasses

import numpy as np


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
    """Properties of an envelope for each block; all but the length are (blocks,)."""
    length: int                  # samples; the last block includes a remainder shorter than half a block
    top: np.ndarray              # largest value
    level: np.ndarray            # local level
    snr: np.ndarray          # signal-to-noise ratio: level / the local median of the lower quartile of the block
    contrast: np.ndarray         # level / the local median of the block's median

    def of(self, i):
        """Maps samples i to their blocks."""
        return np.minimum(i // self.length, len(self.top) - 1)

    def between(self, v, n):
        """Returns v (blocks,) at all of n samples, interpolated linearly between the middles of blocks."""
        return np.interp(np.arange(n), (np.arange(len(v)) + 0.5) * self.length - 0.5, v)


def measure(env, fs, p):
    """Measures the blocks of an envelope. The level is the median over +-level_blocks of block maxima, with a lower
    bound. The noise floor is computed from rest_samples values of a block, evenly spaced."""
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
    """Clips outlying samples, if they are in few blocks. A typical block's range is the 90 % quantile of the ranges of
    blocks that are not constant. Samples that make a range of more than 20 of these are outlying; they are clipped to 3
    on either side of the typical block's middle."""
    b = max(1, round(p.block_s * fs))
    n = max(1, (len(x) + b // 2) // b)
    low, high = np.array([(v.min(), v.max()) for v in np.split(x, b * np.arange(1, n))]).T
    low, high = low[high > low], high[high > low]
    n = len(low)
    if n == 0:
        return x
    usual = np.sort(high - low)[9 * (n - 1) // 10]
    far = np.count_nonzero(high - low > 20 * usual)
    if far == 0 or far > max(2, n // 10):
        return x
    middle = np.sort((low + high) / 2)[n // 2]
    return np.clip(x, middle - 3 * usual, middle + 3 * usual)


def noise_share(snr, begins, full):
    """Maps the signal-to-noise ratio to the share of noise: 0 from `begins` up, 1 from `full` down, linear in its
    logarithm."""
    return np.clip(np.log(begins / snr) / np.log(begins / full), 0, 1)


def envelope(x, fs, hz, p):
    """Returns |x in the band hz|, smoothed."""
    act = np.abs if p.rectify else lambda v: np.maximum(v, 0)
    band = act(convolve(x, ricker(hz, fs, p.kernel_eps), True))
    return np.maximum(convolve(band, gauss(p.smooth_s, fs, p.kernel_eps), False), 0)


def lead_envelope(x, fs, p):
    """Returns a lead's envelope, its blocks and their noise. In noise, a second band is blended in if beats stand out
    of it, and not much more than out of the first (as pacing spikes would)."""
    env = envelope(x, fs, p.band1_hz, p)
    b = measure(env, fs, p)
    noise = noise_share(b.snr, p.noise_begins, p.noise_full)
    share = noise_share(b.snr, p.blend_begins, p.blend_full)
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


def weights(leads, p):
    """Returns the weight (leads, blocks) of each lead. A lead that is nearly flat has nearly no weight there and in the
    adjacent blocks, while another lead has beats. Missing and constant segments are not known here."""
    w = []
    for _, b, _ in leads:
        heard = np.pad(np.where(b.top > 0, np.clip((b.top / b.level - 0.1) / 0.2, 1e-3, 1), 1), 1, mode="edge")
        heard = np.minimum(np.minimum(heard[:-2], heard[1:-1]), heard[2:])
        w.append(np.where(b.top > 0, np.sqrt(np.clip(b.contrast, 1, 30)) * heard, 0))
    w, noise = np.array(w), np.array([noise_share(b.snr, p.noise_begins, p.noise_full) for _, b, _ in leads])
    w *= 1 - noise + noise / np.maximum(noise.sum(0) - noise, 1)  # noisy leads together count as one
    return w / np.where(w.sum(0) > 0, w.sum(0), 1)


def fuse(leads, w):
    """Makes one envelope of all leads. u / (0.4 + u) keeps a wave of one lead, however high, from becoming a beat."""
    n, total = len(leads[0][0]), 0
    for (env, b, _), wl in zip(leads, w):
        u = env / b.between(b.level, n)
        total = total + b.between(wl, n) * (u / (0.4 + u))
    total = np.minimum(total, 0.999)
    return 0.4 * total / (1 - total)
