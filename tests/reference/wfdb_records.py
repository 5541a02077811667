"""Writes small WFDB records, and the values that Python's wfdb reads from them.

usage: wfdb_records.py MITDB_205.csv FOLDER

wfdb writes the formats that it supports. This script packs the bytes of the others, as described in signal(5). Each
NAME.npy holds the values of wfdb.rdrecord for NAME, rounded to float32: [signals][samples], NaN for missing samples.
"""
import sys
from pathlib import Path

import numpy as np
import wfdb

SAMPLES = 401  # a multiple of neither 2 nor 3
RATE = 360
NAMES = ["MLII", "V1", "ABP"]
UNITS = ["mV", "uV", "mmHg"]
BITS = {"8": 8, "80": 8, "508": 8, "310": 10, "311": 10, "212": 12, "16": 16, "61": 16, "160": 16, "516": 16, "24": 24,
        "524": 24, "32": 32}


def digital(fmt, signals, samples=SAMPLES, seed=1):
    """Returns int64 [samples][signals]: random walks over the format's full range, including its ends and its missing
    value."""
    random = np.random.default_rng(seed + 1000 * int(fmt))
    if fmt == "8":  # differences of -128 to 127
        differences = random.integers(-127, 128, (samples, signals))
        differences[1] = -128
        return np.cumsum(differences, axis=0)
    limit = 2 ** (BITS[fmt] - 1)
    walk = np.cumsum(random.integers(-limit // 8, limit // 8 + 1, (samples, signals)), axis=0)
    walk = (walk + limit) % (2 * limit - 1) - limit + 1  # the missing value is excluded
    walk[5, :], walk[6, :] = limit - 1, -limit + 1
    if fmt not in ("61", "160", "310", "311"):
        walk[7, 0] = walk[100:110, 0] = -limit
        walk[-1, -1] = -limit
    else:
        walk[7:9, 0] = -limit
    return walk


def pack(fmt, samples):
    """Returns the bytes of a flat row of samples, as the format specifies."""
    samples = np.asarray(samples, dtype=np.int64)
    if fmt == "61":
        return samples.astype(">i2").tobytes()
    if fmt == "160":
        return (samples + 32768).astype("<u2").tobytes()
    if fmt == "8":
        return samples.astype("i1").tobytes()
    if fmt == "16":
        return samples.astype("<i2").tobytes()
    padded = np.concatenate([samples, np.zeros(-len(samples) % 3, dtype=np.int64)]) & 0x3FF
    a, b, c = padded[0::3], padded[1::3], padded[2::3]
    if fmt == "310":
        words = np.stack([a << 1 | (c & 31) << 11, b << 1 | c >> 5 << 11], axis=1)
        return words.astype("<u2").tobytes()
    return (a | b << 10 | c << 20).astype("<u4").tobytes()  # 311


def checksum(signal):
    return int((np.sum(signal) + 32768) % 65536 - 32768)


def write_raw(folder, name, fmt, frames, gains="200(-10)/mV", form="", extra=b"", samples=True, initial=None):
    """frames: for each signal int [frames][samples per frame]."""
    flat = np.concatenate(frames, axis=1)
    if fmt == "8":
        flat = np.concatenate([np.diff(f.reshape(-1), prepend=i).reshape(f.shape) for f, i in zip(frames, initial)], axis=1)
    (folder / f"{name}.dat").write_bytes(extra + pack(fmt, flat.reshape(-1)))
    lines = [f"{name} {len(frames)} {RATE}" + (f" {len(flat)}" if samples else "")]
    for i, signal in enumerate(frames):
        per_frame = f"x{signal.shape[1]}" if signal.shape[1] > 1 else ""
        first = initial[i] if initial is not None else signal[0, 0]
        lines.append(f"{name}.dat {fmt}{per_frame}{form} {gains} {BITS[fmt]} 0 {first} {checksum(signal)} 0 {NAMES[i]}")
    (folder / f"{name}.hea").write_text("\n".join(lines) + "\n# written by hand\n")


def write_by_wfdb(folder, name, fmt, walk, **more):
    signals = walk.shape[1]
    wfdb.wrsamp(name, fs=RATE, units=UNITS[:signals], sig_name=NAMES[:signals], d_signal=walk, fmt=[fmt] * signals,
                adc_gain=[200.0, 2.5, 11.25][:signals], baseline=[0, -7, 1024][:signals], write_dir=str(folder), **more)


def expect(folder, name, **options):
    record = wfdb.rdrecord(str(folder / name), smooth_frames=False, **options)
    if getattr(record, "e_p_signal", None) is not None:
        signals = record.e_p_signal
    else:
        signals = record.p_signal.T
    for position, signal in enumerate(signals):
        np.save(folder / f"{name}_{position}.npy", np.asarray(signal).astype(np.float32))
    return record


def formats(folder):
    for fmt in ("80", "212", "16", "24", "32", "508", "516", "524"):
        walk = digital(fmt, 3)
        write_by_wfdb(folder, f"f{fmt}", fmt, walk)
        record = wfdb.rdrecord(str(folder / f"f{fmt}"), physical=False)
        assert np.array_equal(record.d_signal, walk), fmt
        expect(folder, f"f{fmt}")
    for fmt in ("61", "160", "310", "311"):
        for signals in (1, 2, 3):
            walk = digital(fmt, signals)
            name = f"f{fmt}_{signals}"
            write_raw(folder, name, fmt, [walk[:, [i]] for i in range(signals)])
            assert np.array_equal(wfdb.rdrecord(str(folder / name), physical=False).d_signal, walk), name
            expect(folder, name)
    walk = digital("8", 2)
    write_raw(folder, "f8", "8", [walk[:, [0]], walk[:, [1]]], initial=[walk[0, 0] - 5, walk[0, 1] + 128])
    assert np.array_equal(wfdb.rdrecord(str(folder / "f8"), physical=False).d_signal, walk)
    expect(folder, "f8")


def layouts(folder):
    walk = digital("16", 4, 2 * SAMPLES)
    fast, slow = walk[:, 0].reshape(-1, 2), walk[:SAMPLES, [1]]
    write_raw(folder, "two_rates", "16", [slow, fast])
    expect(folder, "two_rates")
    walk = digital("310", 4, 3 * SAMPLES)
    write_raw(folder, "two_rates_310", "310", [walk[:, 0].reshape(-1, 3), walk[:SAMPLES, [1]]])
    expect(folder, "two_rates_310")
    walk = digital("61", 2)
    write_raw(folder, "late_start", "61", [walk[:, [0]], walk[:, [1]]], form="+100", extra=b"\x7f" * 100)
    expect(folder, "late_start")
    write_raw(folder, "skewed", "61", [walk[:, [0]], walk[:, [1]]], form=":3")
    expect(folder, "skewed")
    write_raw(folder, "no_length", "16", [digital("16", 1)], samples=False)
    expect(folder, "no_length")
    write_raw(folder, "no_gain", "16", [digital("16", 1)], gains="0")
    expect(folder, "no_gain")
    write_raw(folder, "scientific_gain", "16", [digital("16", 1)], gains="-2.5e-2(12)/uV")
    expect(folder, "scientific_gain")


def segments(folder):
    for i in range(3):
        write_by_wfdb(folder, f"part{i}", "16", digital("16", 2, 100 + i, seed=i))
    (folder / "fixed.hea").write_text("fixed/3 2 360 303\npart0 100\npart1 101\npart2 102\n")
    expect(folder, "fixed")
    (folder / "layout.hea").write_text("layout 3 360 0\n" + "".join(
        f"~ 0 {gain}/{unit} 16 0 0 0 0 {name}\n" for gain, unit, name in
        zip(("200(0)", "2.5(-7)", "11.25(1024)"), UNITS, NAMES)))
    write_by_wfdb(folder, "other", "16", digital("16", 1, 50))
    (folder / "variable.hea").write_text("variable/6 3 360 600\nlayout 0\npart0 100\n~ 200\nother 50\n~ 149\npart1 101\n")
    expect(folder, "variable")


def ecg(csv, folder):
    """Writes 20 seconds, with another signal, as a record and as its CSV export."""
    mV = np.loadtxt(csv, skiprows=1, max_rows=20 * RATE)
    walk = np.stack([np.rint(np.sin(np.arange(len(mV)) / 50) * 900), np.rint(mV * 200)], axis=1).astype(np.int64)
    walk[4000:4200, 1] = -2048
    wfdb.wrsamp("ecg", fs=RATE, units=["mmHg", "mV"], sig_name=["ABP", "MLII"], d_signal=walk, fmt=["212"] * 2,
                adc_gain=[10.0, 200.0], baseline=[0, 0], write_dir=str(folder))
    record = wfdb.rdrecord(str(folder / "ecg"))
    with (folder / "ecg.csv").open("w", newline="\n") as out:
        out.write("ABP,MLII\n")
        out.writelines(f"{a!r},{'' if np.isnan(b) else repr(b)}\n" for a, b in record.p_signal.tolist())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = Path(sys.argv[2])
    folder.mkdir(exist_ok=True, parents=True)
    formats(folder)
    layouts(folder)
    segments(folder)
    ecg(sys.argv[1], folder)


if __name__ == "__main__":
    main()
