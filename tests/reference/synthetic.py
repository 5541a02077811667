"""Writes the synthetic inputs: small ECG-like signals at 250 Hz with sizes and rhythms for which implementations
differ.

usage: synthetic.py OUTDIR
       synthetic.py --long SAMPLES FILE.csv     one signal of any length (3 decimals), for the training curves
"""
import sys
from pathlib import Path

import numpy as np

# A beat as a sum of Gaussians: (offset from the R peak in samples, width in samples, height in mV).
NORMAL = [(-42, 6.0, 0.15), (-7, 2.0, -0.12), (0, 2.6, 1.10), (8, 2.2, -0.25), (68, 14.0, 0.32)]
VENTRICULAR = [(-4, 9.0, 1.45), (26, 12.0, -0.70), (80, 18.0, -0.25)]
REACH = 250  # samples; farther out a beat is below 1e-14 mV


def add_beat(signal, at, shape, scale=1.0):
    first, last = max(0, int(at) - REACH), min(len(signal), int(at) + REACH)
    t = np.arange(first, last) - at
    for offset, width, height in shape:
        signal[first:last] += scale * height * np.exp(-0.5 * ((t - offset) / width) ** 2)


def ecg(n, peaks, seed, noise=0.01, wander=0.15, ventricular_share=0.0):
    """Returns beats at `peaks`, which may be fractions of a sample, on baseline wander and white noise."""
    rng = np.random.default_rng(seed)
    i = np.arange(n)
    signal = wander * np.sin(2 * np.pi * i / 830.0 + rng.uniform(0, 2 * np.pi)) + noise * rng.standard_normal(n)
    for at in peaks:
        shape = VENTRICULAR if rng.random() < ventricular_share else NORMAL
        add_beat(signal, at, shape, rng.uniform(0.9, 1.1))
    return signal


def rhythm(n, seed, interval=200.0, jitter=0.06, pause=None):
    """Returns peak positions with jittered intervals. `pause` = (from, to) is a span without beats."""
    rng = np.random.default_rng(seed)
    peaks = np.cumsum(interval * (1 + jitter * rng.standard_normal(2 * int(n / interval) + 4))) - 0.5 * interval
    peaks = peaks[peaks < n]
    return [p for p in peaks if pause is None or not pause[0] <= p < pause[1]]


def all_signals():
    """Returns {name: (signal, decimals)}."""
    # The wavelet delays by 14.5 samples, so a peak at .5 gives a response on a sample and not between two.
    centred_in_first_window = 75.5
    borders = 0.5 + np.cumsum([130, 99, 100, 256, 257, 101, 98, 100, 255, 256, 257, 99, 150, 150])
    return {
        "n179_no_window": (ecg(179, [centred_in_first_window], 1), 3),
        "n180_one_window": (ecg(180, [centred_in_first_window], 2), 3),
        "n181_two_windows": (ecg(181, [centred_in_first_window + 1], 3), 3),
        "n359_odd_short": (ecg(359, [95, 215], 4), 3),
        "n2003_prime": (ecg(2003, rhythm(2003, 5), 5), 3),
        "n4096_power_of_two": (ecg(4096, rhythm(4096, 6, interval=170), 6, noise=0.03), 3),
        "n9999_odd_pause": (ecg(9999, rhythm(9999, 7, pause=(4000, 5100)), 7, ventricular_share=0.1), 3),
        "n12007_prime_fast": (ecg(12007, rhythm(12007, 8, interval=108, jitter=0.08), 8), 3),
        # The wavelet wraps around the end. So the tall beat in the last samples gives a response in the first ones,
        # which suppresses the beat at 80. A convolution that does not wrap would find that beat.
        "wraps_around": (ecg(2500, rhythm(2500, 9)[1:] + [80], 9) + 2 * ecg(2500, [2496], 10, noise=0, wander=0), 3),
        # Lengths on both sides of 100 and of 256.
        "length_borders": (ecg(int(borders[-1]) + 203, borders, 11, noise=0.002, wander=0.02), 3),
        "n40000_six_decimals": (ecg(40000, rhythm(40000, 12, jitter=0.12, pause=(21000, 22400)), 12, noise=0.02,
        wander=0.3,
                                    ventricular_share=0.08), 6),
    }


def long_signal(samples):
    return ecg(samples, rhythm(samples, 13, jitter=0.12), 13, noise=0.02, ventricular_share=0.1), 3


def write_csv(path, signal, decimals):
    lines = [f"{value:.{decimals}f}\n" for value in signal]
    path.write_text("heartbeats\n" + "".join(lines), newline="\n")


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--long":
        write_csv(Path(arguments[2]), *long_signal(int(arguments[1])))
    elif len(arguments) == 1:
        outdir = Path(arguments[0])
        outdir.mkdir(parents=True, exist_ok=True)
        for name, (signal, decimals) in all_signals().items():
            write_csv(outdir / f"{name}.csv", signal, decimals)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
