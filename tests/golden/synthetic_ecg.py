"""Draws a synthetic ECG from a list of rhythms and a list of disturbances.

A beat is a sum of Gaussian waves (P, Q, R, S, T), as in McSharry et al. 2003 (IEEE Trans. Biomed. Eng. 50:289-294),
with an amplitude in each lead. All random numbers come from numpy.random.RandomState, whose stream is frozen, so a
recording is the same on every machine once its samples are rounded to integer ADC units.
"""
from dataclasses import dataclass

import numpy as np

# Centre and standard deviation of each wave, in seconds from the R peak, at an RR interval of 0.8 s.
NARROW = {"P": (-0.170, 0.022), "Q": (-0.028, 0.009), "R": (0.0, 0.0115), "S": (0.028, 0.010), "T": (0.27, 0.050)}
WIDE = {"R": (0.0, 0.030), "S": (0.075, 0.030), "T": (0.31, 0.055)}

# Amplitudes in mV of the waves of each lead: sinus beats, ventricular beats from the outflow tract, and from the apex.
SINUS = {"I": (0.08, -0.04, 0.60, -0.10, 0.20), "II": (0.14, -0.08, 1.10, -0.22, 0.30),
         "V1": (0.06, 0.0, 0.20, -0.90, -0.05), "V2": (0.06, 0.0, 0.40, -1.30, 0.45),
         "V3": (0.06, 0.0, 0.70, -0.90, 0.50), "V4": (0.07, -0.04, 1.30, -0.50, 0.45),
         "V5": (0.07, -0.06, 1.30, -0.25, 0.35), "V6": (0.07, -0.07, 1.00, -0.10, 0.25)}
OUTFLOW = {"I": (-0.30, -0.10, 0.15), "II": (1.60, -0.35, -0.50), "V1": (0.25, -1.60, 0.50),
           "V2": (0.40, -1.80, 0.60), "V3": (0.70, -1.20, 0.40), "V4": (1.00, -0.40, -0.30),
           "V5": (1.20, -0.20, -0.45), "V6": (1.10, -0.20, -0.40)}
APEX = {"I": (0.90, -0.10, -0.30), "II": (-1.20, 0.20, 0.45), "V1": (-1.30, -0.20, 0.40),
        "V2": (-1.60, -0.20, 0.50), "V3": (-1.50, -0.20, 0.50), "V4": (-1.20, 0.10, 0.45),
        "V5": (-0.80, 0.10, 0.30), "V6": (-0.40, 0.10, 0.20)}
LIMB = {"III": (-1, 1), "aVR": (-0.5, -0.5), "aVL": (1, -0.5), "aVF": (-0.5, 1)}  # of leads I and II

SPIKES = {"B": -0.085, "C": -0.215}  # s from the R peak to the pacing spike, for beats of these shapes


@dataclass(frozen=True)
class Run:
    """`count` beats of one shape, or as many as fit in `seconds`.

    `rr_s` is the mean interval, and `first_s` the interval before the first beat if it differs. `variation`
    is the standard deviation of the intervals as a share of the mean; `breathing` is the amplitude of respiratory
    sinus arrhythmia, which has a period of 4 s.
    """
    shape: str
    rr_s: float
    count: int = 0
    seconds: float = 0.0
    first_s: float = 0.0
    variation: float = 0.01
    breathing: float = 0.0
    fibrillating: bool = False  # the atria: no P waves, f waves instead


@dataclass(frozen=True)
class VentricularFibrillation:
    seconds: float


@dataclass(frozen=True)
class Beat:
    time_s: float
    rr_s: float
    shape: str


@dataclass(frozen=True)
class Timeline:
    """Beats, and the intervals (start, end) in seconds with f waves and with ventricular fibrillation."""
    beats: list
    atrial_fibrillation: list
    ventricular_fibrillation: list


def timeline(rhythm, duration_s, random):
    """Returns the Timeline of the runs, one after another, as far as they fit in the recording."""
    beats, atrial, ventricular = [], [], []
    time_s = -0.4  # so that the first beat comes soon after the start
    for run in rhythm:
        start_s = time_s
        if isinstance(run, VentricularFibrillation):
            time_s += run.seconds
            ventricular.append((start_s + 0.3, time_s))
            continue
        made = 0
        while made < run.count or time_s - start_s < run.seconds:
            breath = run.breathing * np.sin(2 * np.pi * time_s / 4.0)
            rr_s = max(run.rr_s * (1 + breath + run.variation * random.randn()), 0.24)
            rr_s = run.first_s if run.first_s and not made else rr_s
            time_s += rr_s
            beats.append(Beat(time_s, rr_s, run.shape))
            made += 1
        if run.fibrillating:
            atrial.append((start_s + 0.2, time_s + 0.2))
    return Timeline([beat for beat in beats if 0 < beat.time_s < duration_s], atrial, ventricular)


def waves_of(shape, lead, gains):
    """Returns (centre, width, amplitude) of each wave of a beat in a lead. `gains` has factors for amplitudes, by wave.

    N sinus, A atrial (another P wave), J without a P wave, V ventricular, W another ventricular shape, F fusion of N
    and V, L bundle branch block, P a P wave alone, B ventricular paced, C atrial paced.
    """
    narrow = [(*NARROW[wave], gains.get(wave, 1.0) * amplitude) for wave, amplitude in zip("PQRST", SINUS[lead])]
    if shape in "VWBL":
        amplitudes = OUTFLOW[lead] if shape == "V" else APEX[lead]
        wide = [(*WIDE[wave], gains.get(wave, 1.0) * amplitude) for wave, amplitude in zip("RST", amplitudes)]
        return narrow[:1] + wide if shape == "L" else wide
    if shape == "F":
        both = narrow + waves_of("V", lead, gains)
        return [(centre, width, amplitude / 2) for centre, width, amplitude in both]
    if shape == "P":
        return narrow[:1]
    if shape == "A":  # from another place in the atria: closer to the QRS complex, inverted and lower
        centre, width, amplitude = narrow[0]
        return [(centre + 0.03, width, -0.4 * amplitude), *narrow[1:]]
    return narrow[1:] if shape == "J" else narrow


def draw_beats(beats, lead, gains, rate_hz, samples, random):
    """Returns the lead's beats in mV. Amplitudes vary by 3 % from beat to beat; T waves follow the RR interval."""
    signal = np.zeros(samples)
    for beat, scale in zip(beats, 1 + 0.03 * random.randn(len(beats))):
        for centre, width, amplitude in waves_of(beat.shape, lead, gains):
            delay_s = centre * np.sqrt(min(beat.rr_s, 1.0) / 0.8) if centre > 0.2 else centre
            middle_s = beat.time_s + delay_s
            first = max(int((middle_s - 4 * width) * rate_hz), 0)
            last = min(int((middle_s + 4 * width) * rate_hz) + 1, samples)
            if first < last:
                distance = (np.arange(first, last) / rate_hz - middle_s) / width
                signal[first:last] += scale * amplitude * np.exp(-0.5 * distance**2)
    return signal


def draw_pacing_spikes(beats, rate_hz, samples, height_mv):
    """Returns spikes of 2 ms before the R peaks of paced beats."""
    signal = np.zeros(samples)
    for beat in beats:
        first = int((beat.time_s + SPIKES.get(beat.shape, 0.0)) * rate_hz)
        if beat.shape in SPIKES and first >= 0:
            signal[first:first + max(round(0.002 * rate_hz), 1)] += height_mv
    return signal


def draw_fibrillation(spans, rate_hz, samples, height_mv, frequency_hz, random):
    """Returns waves of varying frequency and height, only in these spans (start, end)."""
    signal, time_s = np.zeros(samples), np.arange(samples) / rate_hz
    wander = smooth(random.randn(samples), 0.5 * rate_hz)
    wander /= np.std(wander)
    phase = 2 * np.pi * np.cumsum(frequency_hz * (1 + 0.12 * wander)) / rate_hz
    waves = height_mv * (1 + 0.35 * np.roll(wander, samples // 3)) * (np.sin(phase) + 0.25 * np.sin(2 * phase + 1))
    for start_s, end_s in spans:
        edge = np.clip(np.minimum(time_s - start_s, end_s - time_s) / 0.2, 0, 1)
        signal += edge * waves
    return signal


def smooth(values, sigma_samples):
    """Returns the values convolved with a Gaussian, approximated by three boxes, as their running sums are fast."""
    width = max(int(round(sigma_samples * 2)) | 1, 3)
    for _ in range(3):
        sums = np.cumsum(np.concatenate([[0.0], np.pad(values, width // 2, mode="edge")]))
        values = (sums[width:] - sums[:-width]) / width
    return values


def draw_lead(lead, recording, line, random):
    """Returns one lead in mV: beats, fibrillation, baseline wander of 0.04 mV, and white noise of 0.008 mV."""
    rate_hz, samples = recording.rate_hz, int(round(recording.rate_hz * recording.duration_s))
    signal = draw_beats(line.beats, lead, recording.gains, rate_hz, samples, random)
    if line.atrial_fibrillation:
        height_mv = 0.09 if lead == "V1" else 0.05
        signal += draw_fibrillation(line.atrial_fibrillation, rate_hz, samples, height_mv, 6.2, random)
    if line.ventricular_fibrillation:
        signal += draw_fibrillation(line.ventricular_fibrillation, rate_hz, samples, 0.45, 4.8, random)
    if recording.spike_mv:
        signal += draw_pacing_spikes(line.beats, rate_hz, samples, recording.spike_mv)
    time_s = np.arange(samples) / rate_hz
    signal += 0.04 * np.sin(2 * np.pi * (0.23 * time_s + random.rand()))
    return signal + 0.008 * random.randn(samples)


def draw_leads(recording, line, random):
    """Returns {lead: samples in mV}. The limb leads other than I and II are computed from these two."""
    names = recording.leads
    basic = [name for name in SINUS if name in names or (name in ("I", "II") and set(LIMB) & set(names))]
    drawn = {name: draw_lead(name, recording, line, random) for name in basic}
    for name, (first, second) in LIMB.items():
        if name in names:
            drawn[name] = first * drawn["I"] + second * drawn["II"]
    return {name: drawn[name] for name in names}


# Disturbances: each changes a signal in place, from start_s to end_s. `leads` are indices from 0; () stands for all.
@dataclass(frozen=True)
class Muscle:
    """Muscle artifact: noise of 20 Hz and more."""
    start_s: float
    end_s: float
    mv: float
    leads: tuple = ()

    def apply(self, signal, span, rate_hz, random):
        noise = random.randn(len(signal))
        noise -= smooth(noise, 0.012 * rate_hz)
        signal[span] += self.mv * noise[span]


@dataclass(frozen=True)
class Motion:
    """Motion artifact: baseline distortion at 1 to 5 Hz."""
    start_s: float
    end_s: float
    mv: float
    leads: tuple = ()

    def apply(self, signal, span, rate_hz, random):
        noise = random.randn(len(signal))
        bends = smooth(noise, 0.06 * rate_hz) - smooth(noise, 0.4 * rate_hz)
        signal[span] += self.mv * (bends / np.std(bends))[span]


@dataclass(frozen=True)
class Mains:
    """Power-line interference of 50 Hz."""
    start_s: float
    end_s: float
    mv: float
    leads: tuple = ()

    def apply(self, signal, span, rate_hz, random):
        del random
        signal[span] += self.mv * np.sin(2 * np.pi * 50.0 * np.arange(len(signal)) / rate_hz)[span]


@dataclass(frozen=True)
class Pops:
    """Electrode pops: steps every `every_s` that decay within 0.5 s."""
    start_s: float
    end_s: float
    mv: float
    every_s: float
    leads: tuple = ()

    def apply(self, signal, span, rate_hz, random):
        for start_s in np.arange(self.start_s, self.end_s, self.every_s) + 0.3 * random.rand():
            first = int(start_s * rate_hz)
            tail = np.arange(min(int(2 * rate_hz), len(signal) - first)) / rate_hz
            signal[first:first + len(tail)] += self.mv * np.exp(-tail / 0.25)


@dataclass(frozen=True)
class Clip:
    """Saturation: a baseline raised by `mv`, and the signal clipped at 2 mV, the end of the amplifier's range."""
    start_s: float
    end_s: float
    mv: float
    leads: tuple = ()

    def apply(self, signal, span, rate_hz, random):
        del rate_hz, random
        signal[span] = np.minimum(signal[span] + self.mv, 2.0)


@dataclass(frozen=True)
class Flat:
    """Lead-off: a constant value."""
    start_s: float
    end_s: float
    mv: float
    leads: tuple = ()

    def apply(self, signal, span, rate_hz, random):
        del rate_hz, random
        signal[span] = self.mv


@dataclass(frozen=True)
class Missing:
    """Missing samples."""
    start_s: float
    end_s: float
    leads: tuple = ()

    def apply(self, signal, span, rate_hz, random):
        del rate_hz, random
        signal[span] = np.nan


def disturb(signals, disturbances, rate_hz, random):
    """Applies the disturbances in their order to the leads of {lead: samples}."""
    for each in disturbances:
        span = slice(int(round(each.start_s * rate_hz)), int(round(each.end_s * rate_hz)))
        for number, signal in enumerate(signals.values()):
            if not each.leads or number in each.leads:
                each.apply(signal, span, rate_hz, random)
