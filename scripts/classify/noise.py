"""Copies of clean records with synthetic noise: muscle and motion artifacts and electrode pops, 10 to 60 s each.

An artifact has a signal-to-noise ratio of -6, 0, 6 or 12 dB as the noise stress test defines it: the square of the QRS
complex's range over 8 and over the noise's mean square. It is in all leads, or in one.
"""
import shutil
import zlib

import numpy as np
from scipy.signal import butter, sosfilt

from classify import records


class Maker:
    def __init__(self, rate, seed):
        self.rate, self.draw = rate, np.random.default_rng(seed)

    def band(self, count, low, high):
        filtered = butter(2, [low, min(high, 0.45 * self.rate)], "band", fs=self.rate, output="sos")
        return sosfilt(filtered, self.draw.standard_normal(count))

    def envelope(self, count, hertz, shape):
        knots = int(count / self.rate * hertz) + 2
        return np.interp(np.arange(count) / self.rate, np.arange(knots) / hertz, self.draw.gamma(shape, 1, knots))

    def muscle(self, count):
        return self.band(count, 8, 55) * self.envelope(count, 2, 1.5)

    def motion(self, count):
        return self.band(count, 0.4, 3) + 0.7 * self.band(count, 1, 9) * self.envelope(count, 1, 1)

    def pops(self, count):
        noise = np.zeros(count)
        number = self.draw.poisson(count / self.rate * self.draw.uniform(0.15, 1.2)) + 1
        for start in self.draw.integers(0, count, number):
            width = self.draw.uniform(0.03, 0.2) * self.rate
            t = np.arange(int(min(count - start, self.rate * 3)))
            size = self.draw.standard_normal()
            if self.draw.random() < 0.5:
                wave = np.exp(-t / (self.draw.uniform(0.05, 0.8) * self.rate))
                wave = wave if self.draw.random() < 0.5 else wave * np.cos(2 * np.pi * t / (3 * width))
            else:
                u = (t - 1.5 * width) / width
                wave = np.exp(-u * u) * (1 if self.draw.random() < 0.5 else -2 * u)
            noise[start:start + len(t)] += size * wave
        return noise + 0.1 * noise.std() * self.band(count, 0.4, 20)

    def motion_and_muscle(self, count):
        return self.motion(count) + 0.5 * self.muscle(count)

    def add(self, x, beats):
        """Returns x [leads, samples] with noise in about a third of its duration."""
        leads, count = x.shape
        reach = int(0.05 * self.rate)
        height = [np.median([np.ptp(x[lead, max(0, beat - reach):beat + reach + 1]) for beat in beats[::7]])
                  for lead in range(leads)]
        y, t = x.copy(), self.draw.uniform(5, 60)
        while t < count / self.rate - 15:
            length = self.draw.uniform(10, 60)
            first, last = int(t * self.rate), min(count, int((t + length) * self.rate))
            make = [self.muscle, self.motion, self.pops, self.motion_and_muscle][self.draw.integers(4)]
            decibels, alone = self.draw.choice([-6, 0, 6, 12]), self.draw.random() < 0.25
            chosen, common = self.draw.integers(leads), None
            k = np.arange(last - first)
            ramp = np.minimum(1, np.minimum(k, len(k) - 1 - k) / (0.5 * self.rate))
            for lead in range(leads):
                if alone and lead != chosen:
                    continue
                noise = make(len(k))
                noise = noise / (noise.std() + 1e-9)
                if common is None:
                    common = noise
                elif self.draw.random() < 0.6:
                    noise = (noise + self.draw.choice([-1, 1]) * common) / np.sqrt(2)
                y[lead, first:last] += ramp * noise * height[lead] / np.sqrt(8) * 10 ** (-decibels / 20)
            t += length + self.draw.exponential(70)
        return y


def noisy_copy(record, folder, seed):
    """Writes a copy of a record with synthetic noise below `folder`, and returns it."""
    import wfdb
    where = folder / record.set
    where.mkdir(parents=True, exist_ok=True)
    path = where / record.name
    if not path.with_suffix(".atr").exists():
        read = wfdb.rdrecord(str(record.path))
        beats = record.reference[np.isin(record.reference_class, (records.N, records.S, records.V, records.FUSION))]
        maker = Maker(record.rate, [seed, zlib.crc32(f"{record.set}/{record.name}".encode())])
        y = maker.add(np.nan_to_num(read.p_signal.T), beats)
        leads = len(y)
        wfdb.wrsamp(record.name, fs=read.fs, units=["mV"] * leads, sig_name=read.sig_name,
                    p_signal=np.clip(y.T, -30, 30), fmt=["16"] * leads, adc_gain=[1000.0] * leads,
                    baseline=[0] * leads, write_dir=str(where))
        shutil.copy(record.path.with_suffix(".atr"), path.with_suffix(".atr"))
    return records.Record(record.set, record.name, record.patient, path, record.rate, record.reference,
                          record.reference_class, noisy=True)
