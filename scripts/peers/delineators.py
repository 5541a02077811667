#!/usr/bin/env python3
"""Delineation of P, QRS and T waves by other tools and by beatscan's net, on the same records, by the same measure.

It prints JSON on stdout and a table on stderr: F1, mean and SD of onsets and offsets on LUDB (each lead) and the QT
Database (q1c, best lead), PR, QRS and QT of LUDB's records, P waves in the first minutes of records of the MIT-BIH
Arrhythmia Database; on a part of LUDB also with 30 and 80 uV of noise. scripts/waves/measure.py measures all of them
alike.

The net's figures are out of fold: --nets is the file that `scripts/train_waves FOLDER... --nets FILE` saved for the
same records. R peaks are given to every tool but ecgdeli, which finds its own. NeuroKit2 and prominence-delineator get
signals cleaned by NeuroKit2's own filter, ecgdeli those of its own. A tool gets the leads of a record one by one,
ecgdeli all of them together. Of the MIT-BIH records, a peer's figures are those of its best choice of lead 1, lead 2,
or both as beatscan fuses leads. A record that a tool fails on counts as one without waves. Install the peers with

  python3 -m venv .deps/delineators && .deps/delineators/bin/pip install -r scripts/peers/delineators.txt
"""
import argparse
import contextlib
import datetime
import io
import json
import os
import platform
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(library + "_NUM_THREADS", "1")
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from waves import data, examples, measure, net  # noqa: E402
from waves.data import P, QRS, T  # noqa: E402
from waves.decode import fuse  # noqa: E402
from waves.windows import RATE  # noqa: E402

NOISE = (0, 30, 80)  # uV, on LUDB
KEYS = {P: ("ECG_P_Onsets", "ECG_P_Offsets"), QRS: ("ECG_R_Onsets", "ECG_R_Offsets"),
        T: ("ECG_T_Onsets", "ECG_T_Offsets")}


# A peer returns for each lead of a signal [leads, samples] {wave: [n, 2]}, onsets and offsets in samples.

def neurokit(method):
    def delineate(x, rate, r):
        import neurokit2
        out = []
        for lead in x:
            clean = neurokit2.ecg_clean(lead, sampling_rate=int(rate))
            _, found = neurokit2.ecg_delineate(clean, r, sampling_rate=int(rate), method=method)
            out.append({wave: pairs(*(found[key] for key in keys)) for wave, keys in KEYS.items()})
        return out

    return delineate


def prominence(x, rate, r):
    import neurokit2
    from prominence_delineator import ProminenceDelineator
    tool, out = ProminenceDelineator(sampling_frequency=int(rate)), []
    for lead in x:
        found = tool.find_waves(neurokit2.ecg_clean(lead, sampling_rate=int(rate)), r, include_nodetections=True)
        out.append({wave: pairs(found[name + "_on"], found[name + "_off"])
                    for wave, name in ((P, "P"), (QRS, "R"), (T, "T"))})
    return out


def ecgdeli(x, rate, _):
    import ecgdeli as tool
    found = tool.annotate(tool.filter_ecg(x.T, fs=rate), fs=rate)
    return [{P: known(lead.p_on, lead.p_off), QRS: known(lead.qrs_on, lead.qrs_off), T: known(lead.t_on, lead.t_off)}
            for lead in found.leads]


PEERS = {"ecgdeli": (ecgdeli, "ecgdeli"), "prominence-delineator": (prominence, "prominence-delineator"),
         "NeuroKit2, prominence": (neurokit("prominence"), "neurokit2"),
         "NeuroKit2, dwt": (neurokit("dwt"), "neurokit2")}


def pairs(onsets, offsets):
    """Returns the [n, 2] onsets and offsets of which neither is missing."""
    rows = np.array([(np.nan if a is None else a, np.nan if b is None else b) for a, b in zip(onsets, offsets)],
                    np.float64).reshape(-1, 2)
    return rows[~np.isnan(rows).any(1)]


def known(onsets, offsets):
    """Returns the [n, 2] onsets and offsets that ecgdeli found; it marks missing ones by the greatest integer."""
    rows = np.stack([onsets, offsets], axis=1).astype(np.float64)
    return rows[(np.abs(rows) < 1e15).all(1)]


def fiducials_of(waves, r, rate):
    """Returns the fiducials [beats, 9] of {wave: [n, 2]}: P of the next R, QRS of the nearest, T of the last R."""
    out = np.full((len(r), 9), np.nan)
    for wave, rows in waves.items():
        for onset, offset in rows:
            middle = (onset + offset) / 2
            if wave == QRS:
                beat = int(np.abs(r - middle).argmin())
            else:
                beat = int(np.searchsorted(r, middle)) - (wave == T)
            if 0 <= beat < len(r) and (wave != QRS or abs(r[beat] - middle) < 0.15 * rate):
                place = [(edge - r[beat]) * RATE / rate for edge in (onset, middle, offset)]
                if np.isnan(out[beat, 3 * wave]) or abs(place[1]) < abs(out[beat, 3 * wave + 1]):
                    out[beat, 3 * wave:3 * wave + 3] = place
    return out


def outcome_of(record, fiducials):
    return SimpleNamespace(record=record, windows=SimpleNamespace(r=record.r), averaged=fiducials, single=fiducials,
                           evidence=np.ones(fiducials.shape[:2]))


def by_peer(job):
    """Returns the fiducials [leads, beats, 9] that a peer finds in a record, seconds, and what went wrong."""
    name, record, noise = job
    warnings.filterwarnings("ignore")
    x = np.asarray(examples.noisy(record, noise, 1) if noise else record.x, np.float64)
    gaps = np.isnan(x)
    for lead, gap in zip(x, gaps):  # straight lines bridge gaps
        if gap.any() and not gap.all():
            lead[gap] = np.interp(np.flatnonzero(gap), np.flatnonzero(~gap), lead[~gap])
    start, r = time.process_time(), np.round(record.r).astype(int)
    r = r[(r > 0) & (r < x.shape[1] - 1)]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            found = PEERS[name][0](x, record.rate, r)
        problem = None
    except Exception as error:  # the record counts as one without waves
        found, problem = [{}] * len(x), f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    return np.stack([fiducials_of(waves, record.r, record.rate) for waves in found]), seconds, problem


def by_net(job):
    """Returns the fiducials [leads, beats, 9] that a net (size, weights) finds in a record."""
    record, noise, size, weights = job
    windows = examples.windows_of(record, noise)
    return (measure.examine(windows, lambda x: net.probabilities(size, weights, x), extras=False).averaged,)


def p_figures(outcomes, leads):
    """Returns the sums (tp, fp, fn) by record of the P waves of the MIT-BIH records."""
    rows = []
    for o in outcomes:
        fused = fuse(o.averaged[leads])
        found = o.windows.r + fused[:, 1] * o.record.rate / RATE
        rows.append(measure.peak_counts(o.record.p, np.sort(found[~np.isnan(found)]),
                                        measure.PEAK_TOLERANCE * o.record.rate))
    return np.array(rows)


def figures(outcomes, best_of_leads):
    """Returns {table: {name: [value, low, high]}} of {noise: outcomes}."""
    of = lambda name, noise=0: [o for o in outcomes[noise] if o.record.set == name]
    table = {}
    for noise in NOISE:
        if of("ludb", noise):
            name = "LUDB, each lead" + (f", {noise} uV of noise" if noise else "")
            table[name] = measure.delineation(of("ludb", noise), lambda o: o.averaged)
    if of("ludb"):
        table["LUDB, medians of a record"] = measure.record_intervals(of("ludb"))
    if of("qtdb"):
        table["QTDB, best lead"] = measure.best_lead(of("qtdb"))
    if of("pwave"):
        choices = [[0, 1], [0], [1]] if best_of_leads else [[0, 1]]
        rows = max((p_figures(of("pwave"), leads) for leads in choices), key=lambda rows: measure.f1(rows.sum(0)))
        table["MIT-BIH P waves"] = {"P " + word: measure.figure(rows, statistic) for word, statistic in (
            ("F1", measure.f1), ("Se", measure.sensitivity), ("PPV", measure.predictive_value))}
    return table


COLUMNS = [  # table, title, names
    *((name, f"{short} {wave}", (f"{wave} F1", f"{wave} onset SD", f"{wave} offset SD"))
      for name, short in (("LUDB, each lead", "LUDB"), ("LUDB, each lead, 30 uV of noise", "30 uV"),
                          ("LUDB, each lead, 80 uV of noise", "80 uV"), ("QTDB, best lead", "QTDB"))
      for wave in ("P", "QRS", "T")),
    ("LUDB, medians of a record", "PR, QRS, QT", ("PR SD", "QRS SD", "QT SD")),
    ("MIT-BIH P waves", "MIT-BIH P", ("P F1", "P Se", "P PPV")),
]


def table_of(rows):
    """Returns the figures as a Markdown table: a line a database and wave, a column a tool."""
    lines = ["| | " + " | ".join(f"{row['tool']}" for row in rows) + " |", "|---" * (len(rows) + 1) + "|"]
    for name, title, keys in COLUMNS:
        if name not in rows[0]["figures"]:
            continue
        cells = [", ".join(f"{row['figures'][name][key][0]:.1f}" for key in keys) for row in rows]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    lines.append("| us a beat and lead | " + " | ".join(
        f"{row['us_a_beat_and_lead']:.0f}" if row.get("us_a_beat_and_lead") else "" for row in rows) + " |")
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER",
                        help="records, or a file of scripts/train_waves --save")
    parser.add_argument("--nets", type=Path, metavar="FILE", required=True,
                        help="nets of all folds, of scripts/train_waves --nets")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--noisy", type=int, default=3, metavar="N", help="add noise to every N-th record of LUDB (3)")
    parser.add_argument("--minutes", type=float, default=10, help="of each record of MIT-BIH (10)")
    parser.add_argument("--only", action="append", choices=list(PEERS), metavar="PEER", help="this peer (all)")
    return parser.parse_args()


def jobs_of(options):
    """Returns the (record, noise) to delineate and, for the net, (record, noise, size, weights without its fold)."""
    records = data.read(options.folders)
    with np.load(options.nets) as saved:
        how, size = json.loads(str(saved["training"])), tuple(saved["size"].tolist())
        nets = [net.weights_of(size, flat) for flat in saved["nets"]]
    data.assign_folds(records, how["folds"], how["seed"])
    for record in records:
        if record.set == "pwave":
            shorten(record, options.minutes)
    ludb = [record for record in records if record.set == "ludb"]
    jobs = [(record, 0) for record in records if record.set != "irhythm"]
    jobs += [(record, noise) for noise in NOISE[1:] for record in ludb[::options.noisy]]
    return jobs, [(record, noise, size, nets[record.fold]) for record, noise in jobs]


def shorten(record, minutes):
    samples = int(minutes * 60 * record.rate)
    record.x, record.r, record.p = record.x[:, :samples], record.r[record.r < samples], record.p[record.p < samples]


def row_of(tool, number, jobs, results, best_of_leads):
    outcomes = {noise: [] for noise in NOISE}
    for (record, noise), (fiducials, *_) in zip(jobs, results):
        outcomes[noise].append(outcome_of(record, fiducials))
    return {"tool": tool, "version": number, "figures": figures(outcomes, best_of_leads)}


def row_of_peer(tool, pool, jobs):
    number, results = version(PEERS[tool][1]), list(pool.map(by_peer, [(tool, *job) for job in jobs]))
    row, beats = row_of(tool, number, jobs, results, True), sum(len(record.x) * len(record.r) for record, _ in jobs)
    return row | {"us_a_beat_and_lead": 1e6 * sum(seconds for _, seconds, _ in results) / beats,
                  "failed": {f"{record.name}, {noise} uV": problem
                             for (record, noise), (_, _, problem) in zip(jobs, results) if problem}}


def main():
    options = arguments()
    jobs, jobs_of_net = jobs_of(options)
    rows, skipped = [], []
    with ProcessPoolExecutor(options.jobs) as pool:
        rows.append(row_of("beatscan, out of fold", "", jobs, list(pool.map(by_net, jobs_of_net)), False))
        for tool in options.only or PEERS:
            print(f"{tool} ...", file=sys.stderr, flush=True)
            try:
                rows.append(row_of_peer(tool, pool, jobs))
            except ModuleNotFoundError as error:
                skipped.append({"tool": tool, "reason": f"{error.name} is not installed"})
    json.dump({"tools": rows, "skipped": skipped, "date": datetime.date.today().isoformat(),
               "records": {name: sum(r.set == name for r, noise in jobs if not noise) for name in data.SETS},
               "environment": {"python": platform.python_version(), "numpy": np.__version__}}, sys.stdout, indent=1)
    print()
    print(table_of(rows), *(f"{row['tool']}: {row['reason']}" for row in skipped), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
