"""Adds synthetic noise, signal losses, fibrillation and pacing to clean signals, with labels by construction."""
import numpy as np

GOOD, NOISE, LOST, UNKNOWN = 0, 1, 2, -1  # LOST: lead off, clipped, or filled-in samples
CHANCES = {"electrode": 0.21, "muscle": 0.17, "movement": 0.08, "mains": 0.08, "wander": 0.07, "pops": 0.06,
           "off": 0.10, "clip": 0.06, "fill": 0.07, "vf": 0.05, "vt": 0.03, "pacing": 0.02}
BY_RATIO = ("electrode", "muscle", "movement", "mains")  # kinds with a signal-to-noise ratio
RATIOS_DB = (-6, 0, 6, 12, 18, 24)
NOISE_SHARE = (1.0, 1.0, 0.85, 0.5, 0.1, 0.0)  # names of noise
MOTION_RATE = 360.0  # Hz, of the recorded electrode motion


def noise_share(ratio_db):
    return np.interp(ratio_db, RATIOS_DB, NOISE_SHARE)


def band_noise(rng, n, rate, low_hz, high_hz):
    """Returns Gaussian noise [n] of a band with a root mean square of 1."""
    f = np.maximum(np.fft.rfftfreq(n, 1 / rate), 1e-9)
    gain = 1 / np.sqrt((1 + (low_hz / f) ** 8) * (1 + (f / high_hz) ** 8))
    x = np.fft.irfft(np.fft.rfft(rng.normal(size=n)) * gain, n)
    return x / max(x.std(), 1e-12)


def wandering(rng, n, rate, knots_a_second):
    """Returns straight lines [n] between normal numbers."""
    knots = int(n / rate * knots_a_second) + 2
    return np.interp(np.arange(n) / rate * knots_a_second, np.arange(knots), rng.normal(size=knots))


def mean_around(x, size):
    """Returns the means [n] over about `size` values around each."""
    reach = max(1, size // 2)
    total = np.concatenate([[0], np.cumsum(x)])
    low, high = np.maximum(np.arange(len(x)) - reach, 0), np.minimum(np.arange(len(x)) + reach + 1, len(x))
    return (total[high] - total[low]) / (high - low)


def height_of(x, rate):
    """Returns the typical range of two seconds, without slow parts."""
    size = min(int(2 * rate), len(x))
    part = (x - mean_around(x, int(0.4 * rate)))[:len(x) // size * size].reshape(-1, size)
    return max(float(np.median(np.ptp(part, axis=1))), 0.05)


class Maker:
    """Generates changes of one lead. `motion` is recorded electrode motion [2, samples] at MOTION_RATE."""

    def __init__(self, rng, rate, motion):
        self.rng, self.rate, self.motion = rng, rate, motion

    def make(self, kind, x, height, step, ratio_db, r):
        """Returns a changed x, its label, and the signal-to-noise ratio around every sample (inf if not noise).

        `height` is the typical one, `step` that of the ADC, `r` the annotated beats in x, in samples.
        """
        if kind not in BY_RATIO:
            y, label = getattr(self, kind)(x, height, step, r)
            return y, label, np.full(len(x), np.inf)
        noise = getattr(self, kind)(len(x))
        second = int(self.rate)
        power = lambda v, size: np.maximum(mean_around(v ** 2, size) - mean_around(v, size) ** 2, 1e-12)
        noise = noise * (height / np.sqrt(8) / 10 ** (ratio_db / 20) / np.sqrt(power(noise, second)).mean())
        return x + noise, UNKNOWN, 10 * np.log10(height ** 2 / 8 / power(noise, 2 * second))

    # Noise [n] of any level

    def electrode(self, n):
        """Recorded electrode motion."""
        count = int(np.ceil(n * MOTION_RATE / self.rate)) + 1
        lead = self.motion[self.rng.integers(2)]
        lead = np.concatenate([lead] * (count // len(lead) + 1))
        start = self.rng.integers(len(lead) - count + 1)
        return self.rng.choice([-1, 1]) * np.interp(np.arange(n) * (MOTION_RATE / self.rate), np.arange(count),
                                                    lead[start:start + count])

    def muscle(self, n):
        rng = self.rng
        x = band_noise(rng, n, self.rate, rng.uniform(12, 25), min(0.48 * self.rate, rng.uniform(60, 150)))
        return x * np.exp(rng.uniform(0, 0.7) * wandering(rng, n, self.rate, 2))

    def movement(self, n):
        """Baseline distortion in bursts."""
        rng = self.rng
        x = band_noise(rng, n, self.rate, rng.uniform(0.5, 1.5), rng.uniform(3, 12))
        return x * np.exp(rng.uniform(0.3, 1.2) * wandering(rng, n, self.rate, rng.uniform(0.5, 2)))

    def mains(self, n):
        rng, t = self.rng, np.arange(n) / self.rate
        f = rng.choice([50, 60]) + rng.normal(0, 0.05)
        x = np.sin(2 * np.pi * f * t + rng.uniform(0, 6))
        x += (rng.uniform(0, 0.4) if 3 * f < 0.5 * self.rate else 0) * np.sin(6 * np.pi * f * t)
        return x * (1 + rng.uniform(0, 0.4) * np.sin(2 * np.pi * rng.uniform(0.05, 0.5) * t))

    # A changed signal and its label

    def wander(self, x, height, step, r):
        slow = band_noise(self.rng, len(x), self.rate, 0.05, 0.35)
        return x + slow / max(np.ptp(slow), 1e-9) * height * self.rng.uniform(0.3, 2), GOOD

    def pops(self, x, height, step, r):
        rng, n = self.rng, len(x)
        pops = np.zeros(n)
        for at in rng.integers(0, n, max(1, int(n / self.rate * rng.uniform(1, 2.5)))):
            length = max(1, int(self.rate * rng.choice([0.02, 0.1, 0.5, 2]) * rng.uniform(0.5, 1.5)))
            pops[at:] += np.exp(-np.arange(n - at) / length) * rng.normal() * 1.2
        return x + pops * height * rng.uniform(0.8, 2.5), NOISE

    def off(self, x, height, step, r):
        """A lead-off signal: constant, converter noise, mains, an end of the range, or slow drift."""
        rng, n = self.rng, len(x)
        t, level = np.arange(n) / self.rate, rng.normal() * height
        way = rng.integers(5)
        if way == 0:
            return np.full(n, level), LOST
        if way == 1:
            return level + rng.normal(size=n) * step * rng.uniform(0.3, 2.5), LOST
        if way == 2:
            mains = np.sin(2 * np.pi * rng.choice([50, 60]) * t + rng.uniform(0, 6))
            return level + height * np.exp(rng.uniform(-3, 1)) * mains + rng.normal(size=n) * step, LOST
        if way == 3:
            return np.full(n, rng.choice([-1, 1]) * height * rng.uniform(3, 8)), LOST
        drift = height * rng.normal() * 3 * np.exp(-t / rng.uniform(1, 20))
        walk = 0.05 * height * np.cumsum(rng.normal(size=n)) / np.sqrt(n)
        return level + drift + walk + rng.normal(size=n) * step * rng.uniform(0.3, 3), LOST

    def clip(self, x, height, step, r):
        rng = self.rng
        if rng.random() < 0.3:
            x = -x
        high = np.quantile(x, rng.uniform(0.6, 0.88))
        low = np.quantile(x, 1 - rng.uniform(0.6, 0.88)) if rng.random() < 0.5 else -np.inf
        return np.clip(x, low, high), LOST

    def fill(self, x, height, step, r):
        """Lost samples, once or twice every two seconds: filled with a value, held, or missing."""
        rng, n, rate = self.rng, len(x), self.rate
        way, y, label = rng.integers(6), x.copy(), LOST
        code = [0.0, x.min() - height * rng.uniform(0, 4), x.max() + height * rng.uniform(0, 4), x[0] - height, np.nan,
                None][way]
        least = {4: 0.25, 5: 0.1}.get(way, max(0.008, 2.2 / rate))
        length = max(2, int(rate * np.exp(rng.uniform(np.log(least), np.log({4: 0.95, 5: 0.6}.get(way, 0.3))))))
        size = int(2 * rate)
        for start in range(0, n, size):
            for _ in range(rng.integers(1, 3)):
                first = min(start + rng.integers(0, max(1, size - length - 1)), n - 1)
                value = y[max(first - 1, 0)] if code is None else code
                if way < 4 and abs(value - x[first]) < 0.5 * height:
                    label = UNKNOWN  # not visible
                y[first:first + length] = value
        return y, label

    def vf(self, x, height, step, r):
        """Fibrillation: one or two narrow bands of varying frequency, without QRS complexes."""
        rng, n, rate = self.rng, len(x), self.rate
        smooth = lambda speed=2: wandering(rng, n, rate, speed)
        phase = lambda low, high, spread: 2 * np.pi * np.cumsum(rng.uniform(low, high) * (1 + spread * smooth())) / rate
        first, second = phase(2.5, 8, rng.uniform(0.03, 0.15)), phase(2, 9, rng.uniform(0.05, 0.25))
        wave = np.sin(first) + rng.uniform(0, 0.4) * np.sin(2 * first + rng.uniform(0, 6))
        wave += rng.uniform(0, 0.9) * np.exp(0.5 * smooth()) * np.sin(second)
        wave += rng.uniform(0, 0.25) * band_noise(rng, n, rate, 2, rng.uniform(8, 16))
        wave *= np.exp(rng.uniform(0.1, 0.6) * smooth(rng.uniform(0.3, 2)))
        return self.placed(wave / max(wave.std(), 1e-9) * height * np.exp(rng.uniform(-2.2, 0.9)) * 0.35, x, step)

    def vt(self, x, height, step, r):
        """Monomorphic tachycardia: one wide complex, repeated."""
        rng, n, rate = self.rng, len(x), self.rate
        turns = np.cumsum((1 + rng.uniform(0, 0.05) * wandering(rng, n, rate, 1))) / rate / rng.uniform(0.22, 0.5)
        fall = rng.uniform(0.3, 1.2)
        wave = sum(np.exp(-fall * k) * np.sin(2 * np.pi * k * turns + rng.uniform(0, 2 * np.pi)) for k in range(1, 7))
        wave *= 1 + rng.uniform(0, 0.15) * wandering(rng, n, rate, 1)
        return self.placed(wave / max(np.ptp(wave), 1e-9) * height * np.exp(rng.uniform(-0.7, 1)), x, step)

    def placed(self, wave, x, step):
        """Adds converter noise, some muscle noise and a slow baseline to a synthetic rhythm."""
        rng, n = self.rng, len(x)
        noise = rng.normal(size=n) * step * 0.5 + np.ptp(wave) * rng.uniform(0, 0.012) * rng.normal(size=n)
        slow = band_noise(rng, n, self.rate, 0.05, rng.uniform(0.3, 0.8)) * np.ptp(wave) * rng.uniform(0, 0.6) ** 2
        return wave + noise + slow + np.median(x), GOOD

    def pacing(self, x, height, step, r):
        """Pacing spikes before the annotated beats, or at regular intervals if there are none."""
        rng, n, rate = self.rng, len(x), self.rate
        at = r - rng.uniform(0.05, 0.12) * rate if len(r) else np.arange(0, n, rng.uniform(0.5, 1.1) * rate)
        width = max(1, int(round(rng.uniform(0.001, 0.003) * rate)))
        y, size = x.copy(), rng.choice([-1, 1]) * height * rng.uniform(0.2, 2)
        for first in at.astype(int):
            y[max(first, 0):max(first + width, 0)] += size * rng.uniform(0.8, 1.2)
        return y, GOOD
