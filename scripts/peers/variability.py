#!/usr/bin/env python3
"""Compares heart rate variability with NeuroKit2, on the same NN intervals.

    scripts/peers/variability.py RESULT...     folders of `beatscan run --nn`; needs neurokit2

Prints the largest difference of each measure over the results, relative to NeuroKit2's value, and for measures that
NeuroKit2 defines otherwise also to a second implementation of the definition (stages/rhythm/hrv.h) in numpy.
"""
import csv
import pathlib
import sys
import warnings

import neurokit2
import numpy as np


def nn_of(folder):
    with open(folder / "nn.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return np.array([float(row["nn_ms"]) for row in rows]), np.array([float(row["time_s"]) for row in rows])


def measures_of(folder):
    with open(folder / "hrv.csv", newline="") as file:
        whole = next(csv.DictReader(file))
    return {name: float(value) for name, value in whole.items()
            if value and name.endswith(("_ms", "_percent", "1", "2"))}


def of_neurokit(nn, ends):
    """NeuroKit2's values for the intervals and the times at which they end."""
    peaks = {"RRI": nn, "RRI_Time": ends}
    time = neurokit2.hrv_time(peaks).iloc[0]
    nonlinear = neurokit2.hrv_nonlinear(peaks).iloc[0]
    power = neurokit2.hrv_frequency(peaks, normalize=False).iloc[0]
    dfa = {name: neurokit2.fractal_dfa(nn, scale=np.arange(*sizes), overlap=False)[0]
           for name, sizes in (("dfa_alpha1", (4, 17)), ("dfa_alpha2", (16, 65)))}
    return {"mean_nn_ms": time.HRV_MeanNN, "sdnn_ms": time.HRV_SDNN, "rmssd_ms": time.HRV_RMSSD,
            "pnn50_percent": time.HRV_pNN50, "sdann_ms": time.get("HRV_SDANN5", np.nan), "sd1_ms": nonlinear.HRV_SD1,
            "sd2_ms": nonlinear.HRV_SD2, "vlf_ms2": power.HRV_VLF, "lf_ms2": power.HRV_LF, "hf_ms2": power.HRV_HF, **dfa}


def by_definition(nn, ends):
    """Measures that NeuroKit2 does not have, or defines otherwise."""
    segments = np.floor(ends / 300)
    means = [nn[segments == s].mean() for s in np.unique(segments) if nn[segments == s].sum() >= .8 * 300e3]
    starts = ends - nn / 1000
    in_row = np.abs(starts[1:] - ends[:-1]) < 1e-5  # times have six decimals
    changes = [(nn[i] + nn[i + 1] - nn[i - 1] - nn[i - 2]) / 4 for i in range(2, len(nn) - 1)
               if in_row[i - 2:i + 1].all() and nn[i - 1] < nn[i] <= 1.05 * nn[i - 1]]
    return {"sdann_ms": np.std(means, ddof=1) if len(means) > 1 else np.nan,
            "dc_ms": np.mean(changes) if changes else np.nan}


def main():
    largest = {}
    for folder in map(pathlib.Path, sys.argv[1:]):
        nn, ends = nn_of(folder)
        ours = measures_of(folder)
        if len(nn) < 1000:  # NeuroKit2 fails on few intervals
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for peer, theirs in (("NeuroKit2", of_neurokit(nn, ends)), ("definition", by_definition(nn, ends))):
                for name, value in theirs.items():
                    if name not in ours or not np.isfinite(value) or value == 0:
                        continue
                    off = ours[name] / value - 1
                    if abs(off) >= abs(largest.get((name, peer), (0,))[0]):
                        largest[name, peer] = off, folder.name, ours[name], value
    print(f"NeuroKit2 {neurokit2.__version__}, {len(sys.argv) - 1} results")
    print("| measure | compared with | largest relative difference | there | beatscan | other |\n|---|---|---|---|---|---|")
    for (name, peer), (off, where, ours, value) in largest.items():
        print(f"| {name} | {peer} | {off:.2g} | {where} | {ours:.8g} | {value:.8g} |")


if __name__ == "__main__":
    main()
