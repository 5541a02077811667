"""Writes recordings as WFDB records (format 16), as CSV files, and as lists of beats."""
from pathlib import Path

import numpy as np

GAIN = 200  # ADC units per mV
MISSING = -32768  # stands for a missing sample in format 16


def adc_units(signal_mv):
    """Returns the samples as 16-bit integers, NaN as MISSING."""
    units = np.clip(np.rint(np.nan_to_num(signal_mv * GAIN)), -32767, 32767)
    return np.where(np.isnan(signal_mv), MISSING, units).astype("<i2")


def write_wfdb(path, signals, rate_hz, start=""):
    """Writes the WFDB record PATH of {lead: samples in mV}, and returns its header. `start` is HH:MM:SS."""
    path = Path(path)
    units = np.stack([adc_units(signal) for signal in signals.values()], axis=1)
    lines = [f"{path.name} {units.shape[1]} {rate_hz:g} {units.shape[0]} {start}".rstrip()]
    for lead, column in zip(signals, units.T):
        checksum = (int(column.astype(np.int64).sum()) + 32768) % 65536 - 32768
        lines.append(f"{path.name}.dat 16 {GAIN}(0)/mV 16 0 {column[0]} {checksum} 0 {lead}")
    path.with_suffix(".dat").write_bytes(units.tobytes())
    header = path.with_suffix(".hea")
    header.write_text("\n".join(lines) + "\n", encoding="ascii")
    return header


def write_csv(path, signals, rate_hz, time_column=True):
    """Writes PATH.csv with the columns {lead: samples in mV}, and returns it; missing samples are empty."""
    file = Path(path).with_suffix(".csv")
    units = np.stack([adc_units(signal) for signal in signals.values()], axis=1)
    rows = [",".join([*(["time_s"] if time_column else []), *signals])]
    for number, row in enumerate(units.tolist()):
        cells = ["" if value == MISSING else f"{value / GAIN:.3f}" for value in row]
        rows.append(",".join([f"{number / rate_hz:.4f}", *cells] if time_column else cells))
    file.write_text("\n".join(rows) + "\n", encoding="ascii")
    return file


def write_beats(path, beats):
    """Writes PATH.csv with the columns sample and symbol of (sample, symbol), and returns it."""
    file = Path(path).with_suffix(".csv")
    rows = [f"{sample},{symbol}" for sample, symbol in beats]
    file.write_text("\n".join(["sample,symbol", *rows]) + "\n", encoding="ascii")
    return file
