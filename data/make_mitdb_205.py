"""Writes mitdb_205.csv and mitdb_205.truth.csv beside this script.

usage: make_mitdb_205.py FOLDER     (the folder that holds the WFDB files 205.hea, 205.dat and 205.atr)
"""
import sys
from pathlib import Path

import wfdb

RECORD = "205"
BEAT_SYMBOLS = set("NLRBejAaJSVEF/fQnr?")


def write_signal(folder: Path, target: Path) -> None:
    record = wfdb.rdrecord(str(folder / RECORD), channels=[0], physical=False)
    gain, baseline = record.adc_gain[0], record.baseline[0]
    with target.open("w", newline="\n") as out:
        out.write("heartbeats\n")
        out.writelines(f"{(int(adc) - baseline) / gain:.3f}\n" for adc in record.d_signal[:, 0])


def write_truth(folder: Path, target: Path) -> None:
    annotation = wfdb.rdann(str(folder / RECORD), "atr")
    with target.open("w", newline="\n") as out:
        out.write("sample,symbol\n")
        for sample, symbol in zip(annotation.sample, annotation.symbol):
            if symbol in BEAT_SYMBOLS:
                out.write(f"{sample},{symbol}\n")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, here = Path(sys.argv[1]), Path(__file__).resolve().parent
    write_signal(folder, here / "mitdb_205.csv")
    write_truth(folder, here / "mitdb_205.truth.csv")


if __name__ == "__main__":
    main()
