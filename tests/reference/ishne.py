"""Small ISHNE Holter files, and their values.

usage: ishne.py FOLDER

Written from F. Badilini, The ISHNE Holter Standard Output File Format, Ann Noninvasive Electrocardiol 3(3), 263-266, 1998.
Each NAME_I.npy holds lead I of NAME.ecg in mV: float32 [samples], NaN where a sample marks a lead fault. The package
ishneholterlib, where it is installed, reads every file whose samples go on to the file's end, and must find the same.
"""
import binascii
import struct
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

SAMPLES = 101
FAULT = -32768
ABSENT = -9
LEADS = ["unknown", "bipolar", "X", "Y", "Z", "I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6", "ES",
         "AS", "AI"]


def padded(values, filler):
    return list(values) + [filler] * (12 - len(values))


def header(codes, resolutions, count, rate, text=b"", checksum="right"):
    """The bytes before the samples. Names contain letters that are not ASCII."""
    fixed = struct.pack("<4ih", len(text), count, 522, 522 + len(text), 1)
    fixed += struct.pack("40s40s20s", "Zoë".encode("latin-1"), "Müller".encode("latin-1"), b"0815")
    fixed += struct.pack("<2h", 2, 0)  # sex, race
    fixed += struct.pack("<12h", 1, 2, 1950, 21, 11, 2026, 22, 11, 2026, 8, 30, 0)  # birth, recording, file, start
    fixed += struct.pack("<h", len(codes))
    fixed += struct.pack("<12h", *padded(codes, ABSENT))
    fixed += struct.pack("<12h", *padded([1] * len(codes), ABSENT))  # quality
    fixed += struct.pack("<12h", *padded(resolutions, ABSENT))
    fixed += struct.pack("<h40sh", 0, b"digital", rate)  # pacemaker, recorder
    fixed += struct.pack("80s80s88s", b"", b"", b"")  # proprietary, copyright, reserved
    assert len(fixed) == 512
    crc = binascii.crc_hqx(fixed + text, 0xFFFF)
    order = ">" if checksum == "swapped" else "<"
    return b"ISHNE1.0" + struct.pack(order + "H", 0 if checksum == "none" else crc) + fixed + text


def walk(leads, seed):
    """int64 [samples][leads]: random walks over the full int16 range, with lead faults."""
    random = np.random.default_rng(seed)
    steps = np.cumsum(random.integers(-4000, 4001, (SAMPLES, leads)), axis=0)
    samples = (steps + 32767) % 65535 - 32767  # without the mark of a fault
    samples[5, :], samples[6, :] = 32767, -32767
    samples[7, 0] = samples[50:60, leads - 1] = samples[-1, leads - 1] = FAULT
    return samples


def in_mv(samples, resolution_nv):
    return np.array([np.nan if s == FAULT else float(Fraction(int(s) * resolution_nv, 10**6)) for s in samples]).astype(np.float32)


def read_back(path, expected):
    try:
        from ishneholterlib import Holter
    except ImportError:
        return
    holter = Holter(str(path), check_valid=False)
    holter.load_data()
    for lead, values in zip(holter.lead, expected):
        known = ~np.isnan(values)
        assert np.allclose(np.asarray(lead.data)[known], values[known], rtol=1e-6, atol=0), path


def write(folder, name, codes, resolutions, count=SAMPLES, rate=200, **more):
    samples = walk(len(codes), seed=len(name) + 100 * len(codes))
    path = folder / f"{name}.ecg"
    path.write_bytes(header(codes, resolutions, count, rate, **more) + samples.astype("<i2").tobytes())
    expected = [in_mv(samples[:, i], nv) for i, nv in enumerate(resolutions)]
    for position, values in enumerate(expected):
        np.save(folder / f"{name}_{position}.npy", values)
    read_back(path, expected)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True, parents=True)
    code = LEADS.index
    write(folder, "one_lead", [code("II")], [5000], rate=360)
    write(folder, "two_leads", [code("V1"), code("V5")], [2500, 1], text="Grüße, and more of them".encode("latin-1"))
    write(folder, "total_count", [code("X"), code("Y"), code("Z")], [1000, 2441, 32767], count=3 * SAMPLES)
    write(folder, "no_count", [code("unknown"), code("unknown")], [1000, 4883], count=0, checksum="none")
    write(folder, "most_count", [code("ES"), code("AS"), code("AI")], [610, 610, 611], count=24 * 3600 * 200)
    write(folder, "twelve_leads", range(code("I"), code("V6") + 1), range(997, 1009), rate=1000, checksum="swapped")


if __name__ == "__main__":
    main()
