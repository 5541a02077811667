"""Reads WFDB records with their reference beats, changes them if asked, and writes the CSV files for beatscan."""
import csv
import sys
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import wfdb
from scipy.signal import resample_poly

# Every beat symbol and its class, as in `beatscan evaluate`.
CLASS_OF = {symbol: beat_class for beat_class, symbols in
            {"N": "NLRej", "S": "AaJS", "V": "VE", "F": "F", "Q": "B/fQnr?"}.items() for symbol in symbols}


@dataclass(frozen=True)
class Record:
    name: str
    rate: float  # Hz
    length: int  # samples
    signal: np.ndarray | None  # float32 [N], physical units, NaN where a sample is missing; None if it was not read
    samples: np.ndarray  # int64 [B], the reference beats in time order
    classes: np.ndarray  # str [B], N S V F or Q
    symbols: np.ndarray  # str [B]
    flutter: list  # (first sample, last sample) of every episode of ventricular flutter
    artefacts: list  # (first sample, last sample) of every artifact in which no beats were annotated

    def in_flutter(self, samples):
        return inside(self.flutter, samples)

    def in_artefact(self, samples):
        return inside(self.artefacts, samples)

    @property
    def hours(self):
        return self.length / self.rate / 3600


def inside(stretches, samples):
    """Returns for each sample whether it lies in one of the intervals."""
    result = np.zeros(len(samples), dtype=bool)
    for first, last in stretches:
        result |= (samples >= first) & (samples <= last)
    return result


@dataclass(frozen=True)
class Change:
    """Changes of a signal before beatscan sees it. The offset is added last, in the record's own unit."""
    resample: float | None = None  # Hz
    gain: float = 1.0
    invert: bool = False
    offset: float = 0.0

    def __str__(self):
        parts = [f"{self.resample:g} Hz"] if self.resample else []
        parts += [f"gain {self.gain:g}"] if self.gain != 1 else []
        parts += ["inverted"] if self.invert else []
        parts += [f"offset {self.offset:+g}"] if self.offset else []
        return ", ".join(parts) or "as recorded"


def names_in(folder):
    """Returns the records of a folder that have a signal and reference annotations."""
    return sorted(path.stem for path in folder.glob("*.hea") if path.with_suffix(".atr").exists())


def episodes(symbols, samples, length):
    """Returns the episodes, each from a [ to the next ]. An unclosed one ends with the signal."""
    found, first = [], None
    for symbol, sample in zip(symbols, samples):
        if symbol == "[":
            first = sample if first is None else first
        elif symbol == "]":
            found.append((first if first is not None else 0, sample))
            first = None
    return found + ([(first, length - 1)] if first is not None else [])


def read_artefacts(path):
    """Returns the artifacts marked by a reader (`visual`) in RECORD.mask.csv, in which no beats were annotated. The
    file has the columns start, end (exclusive) and kind; a record without the file has no such artifacts."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [(int(row["start"]), int(row["end"]) - 1) for row in csv.DictReader(file) if row["kind"] == "visual"]


def read_signal(folder, name, lead=0):
    """Returns one lead as float32 in physical units, with NaN for missing samples."""
    path = str(folder / name)
    leads = wfdb.rdheader(path).n_sig
    if not 0 <= lead < leads:
        sys.exit(f"{name}: there is no lead {lead}; the record has {leads} (the first is 0)")
    return wfdb.rdrecord(path, channels=[lead]).p_signal[:, 0].astype(np.float32)


def read_truth(folder, name):
    """Returns a record without its signal."""
    path = str(folder / name)
    header, annotation = wfdb.rdheader(path), wfdb.rdann(path, "atr")
    length = header.sig_len or len(read_signal(folder, name))  # the length is optional in a header
    # An annotation file may have a clock of its own.
    samples = np.rint(annotation.sample * (header.fs / (annotation.fs or header.fs))).astype(np.int64)
    order = np.argsort(samples, kind="stable")
    samples, symbols = samples[order], np.array(annotation.symbol, dtype=str)[order]
    is_beat = np.isin(symbols, list(CLASS_OF)) & (samples >= 0) & (samples < length)
    beats = symbols[is_beat]
    return Record(name, float(header.fs), length, None, samples[is_beat],
                  np.array([CLASS_OF[symbol] for symbol in beats], dtype=str), beats,
                  episodes(symbols, samples, length), read_artefacts(folder / f"{name}.mask.csv"))


def read(folder, name, lead=0):
    return replace(read_truth(folder, name), signal=read_signal(folder, name, lead))


def bridged(signal):
    """Returns the signal with missing samples interpolated by straight lines."""
    missing = np.isnan(signal)
    if not missing.any() or missing.all():
        return np.nan_to_num(signal)
    places = np.arange(len(signal))
    return np.where(missing, np.interp(places, places[~missing], signal[~missing]), signal).astype(signal.dtype)


def resampled(record, rate):
    """Returns the record at another rate. Missing samples stay missing: they are interpolated for the filter, and set
    to NaN again."""
    if rate == record.rate:
        return record
    ratio = Fraction(rate).limit_denominator(10_000) / Fraction(record.rate).limit_denominator(10_000)
    # padtype: zero padding would make a step at the ends of a signal that does not end at zero.
    signal = bridged(record.signal).astype(np.float64)
    signal = resample_poly(signal, ratio.numerator, ratio.denominator, padtype="edge")
    nearest = np.minimum(np.rint(np.arange(len(signal)) / float(ratio)).astype(np.int64), len(record.signal) - 1)
    signal[np.isnan(record.signal)[nearest]] = np.nan

    def scaled(samples):
        return np.minimum(np.rint(np.asarray(samples) * float(ratio)).astype(np.int64), len(signal) - 1)

    return replace(record, rate=float(rate), length=len(signal), signal=signal.astype(np.float32),
                   samples=scaled(record.samples), flutter=[tuple(scaled(episode)) for episode in record.flutter],
                   artefacts=[tuple(scaled(stretch)) for stretch in record.artefacts])


def changed(record, change):
    if change == Change():
        return record
    record = resampled(record, change.resample) if change.resample else record
    signal = record.signal * np.float32(-change.gain if change.invert else change.gain) + np.float32(change.offset)
    return replace(record, signal=signal)


def write_signal(record, path):
    """Writes one column. A cell is the shortest text that reads as the same float32, or empty for a missing sample."""
    # A recording has few distinct values, those of its converter, so each is converted to text once.
    values, places = np.unique(record.signal, return_inverse=True)
    cells = np.array(["" if np.isnan(value) else str(value) for value in values], dtype=object)
    path.write_text("\n".join(["signal", *cells[places].tolist()]) + "\n")


def write_truth(record, path):
    rows = (f"{sample},{symbol}" for sample, symbol in zip(record.samples, record.symbols))
    path.write_text("\n".join(["sample,symbol", *rows]) + "\n")
