"""Recordings with annotated rhythms: the segments of each rhythm, and the label of each beat.

Each set has labels of its own kind, named by its folder:

- irhythm: `episodes` in labels.json (onset from 1, offset, name)
- ds1, cpsc2021: rhythm changes (`+`) in the annotations; cudb: ventricular fibrillation from `[` to `]`
- twelve, ludb: the rhythm of the whole recording in labels.json
- svdb, qtdb: definitions over the classes of beats
- tele: RECORD.mask.csv with artifacts marked by a reader or a program; the rest counts as sinus rhythm
- afdb: RECORD.beats.csv and RECORD.rhythm.csv, no signal
"""
import csv
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from classify import fibrillation

STATES = ("NSR", "AFIB", "AFL", "SVT", "VT", "IVR", "BIGEMINY", "TRIGEMINY", "WENCKEBACH", "AVB", "JUNCTIONAL", "EAR",
          "SUDDEN_BRADY", "NOISE", "VF")
PLACE = {name: place for place, name in enumerate(STATES)}
UNKNOWN = -1
CHANGES = {"N": "NSR", "AFIB": "AFIB", "AFL": "AFL", "SVTA": "SVT", "VT": "VT", "IVR": "IVR", "B": "BIGEMINY",
           "T": "TRIGEMINY", "BII": "AVB", "NOD": "JUNCTIONAL", "VFL": "VF", "SBR": "NSR"}
EPISODES = {"AVB_TYPE2": "AVB"}
WHOLE = (("AFIB", ("af", "atrial fibrillation")), ("AFL", ("afl", "atrial flutter")),
         ("NSR", ("sinus rhythm", "sinus bradycardia", "sinus tachycardia", "sinus arrhythmia")))
NOT_SINUS = ("pacing", "atrial tachycardia", "av block", "bigeminy", "trigeminy")
BEATS = "NLRBejAaJSVEF/fQnr?"


@dataclass
class Record:
    set: str  # name of the folder
    name: str
    patient: str
    path: Path
    rate: float  # Hz
    seconds: float
    stretches: list  # (start in s, end in s, state or UNKNOWN), ascending
    fold: int = 0
    names: list = field(default_factory=list)  # [C] columns of the beat table
    table: np.ndarray = None  # [K, C]
    times: np.ndarray = None  # [K] R peaks in s
    classes: np.ndarray = None  # [K, 4] posteriors of N, S, V, X; NaN if unknown
    label: np.ndarray = None  # [K] state or UNKNOWN
    readers: list = field(default_factory=list)  # segments of each single reader
    reader_labels: list = field(default_factory=list)  # [K] of each
    episodes: list = field(default_factory=list)  # (start in s, end in s, label) of the program


def patient_of(set_name, name):
    for pattern in (r"(data_\d+)_\d+$", r"(ir_[0-9a-f]+)_\d+$"):
        if found := re.match(pattern, name):
            return found[1]
    return f"{set_name}/{name}"


def of_changes(changes, seconds):
    """Returns segments from rhythm changes [(seconds, label)]."""
    ends = [start for start, _ in changes[1:]] + [seconds]
    return [(start, end, PLACE.get(CHANGES.get(label, label), UNKNOWN)) for (start, label), end in zip(changes, ends)]


def of_episodes(episodes, rate):
    """Returns segments from episodes [(first sample from 1, last, name)]."""
    return [((first - 1) / rate, last / rate, PLACE[EPISODES.get(name, name)]) for first, last, name in episodes]


def fibrillation_stretches(marks, rate, seconds):
    """Returns segments of ventricular fibrillation, from [ to ] or to the end.

    The time up to a minute before the first one counts as sinus rhythm: it was not reviewed, but is not fibrillation.
    """
    found, start = [], None
    for sample, symbol in zip(marks.sample, marks.symbol):
        if symbol == "[":
            start = sample / rate
        elif symbol == "]" and start is not None:
            found.append((start, sample / rate, PLACE["VF"]))
            start = None
    found += [(start, seconds, PLACE["VF"])] if start is not None else []
    before = found[0][0] - 60 if found else seconds
    return ([(0, before, PLACE["NSR"])] if before > 0 else []) + found


def of_artifacts(rows, seconds):
    """Returns noise in artifacts marked by a reader, and sinus rhythm where a program found no artifact either."""
    edges = sorted({0.0, seconds, *(at for row in rows for at in row[:2] if 0 < at < seconds)})
    found = []
    for start, end in zip(edges, edges[1:]):
        kinds = {kind for first, last, kind in rows if first < end and last > start}
        found.append((start, end, PLACE["NOISE"] if "visual" in kinds else UNKNOWN if kinds else PLACE["NSR"]))
    return found


def whole_recording(labels, seconds):
    said = [label.lower().removeprefix("rhythm: ") for label in labels]
    for state, names in WHOLE:
        if any(label in names or (state != "NSR" and label.startswith(names[1])) for label in said):
            if state != "NSR" or not any(part in label for label in said for part in NOT_SINUS):
                return [(0, seconds, PLACE[state])]
    return [(0, seconds, UNKNOWN)]


def runs_of(mask, least):
    """Returns (first, end) of runs of at least this length."""
    edges = np.flatnonzero(np.diff(np.r_[0, mask.astype(int), 0]))
    return [(a, b) for a, b in zip(edges[::2], edges[1::2]) if b - a >= least]


def pattern_of(of_v, period):
    """Returns which beats lie in two or more cycles of one V beat in `period`."""
    found = np.zeros(len(of_v), bool)
    on = np.zeros(len(of_v), bool)
    for k in range(len(of_v) - 2 * period):
        cycle = of_v[k:k + 2 * period + 1]
        on[k] = cycle[::period].all() and cycle.sum() == 3
    for k in np.flatnonzero(on):
        found[max(k - period + 1, 0):k + 3 * period] = True
    return found


def by_beats(marks, rate, seconds):
    """Returns segments by definitions on annotated beat classes.

    Runs of four S above 100 a minute are SVT, of three V VT or IVR. Two cycles of a V beat in two or three are
    bigeminy or trigeminy. The rest is sinus rhythm, however many S there are. Slow runs of S are unknown, and so is a
    record in which most intervals between normal beats change by 5 % or more: it may have fibrillation.
    """
    is_beat = np.isin(marks.symbol, list(BEATS))
    at = np.asarray(marks.sample)[is_beat] / rate
    symbol = np.array(marks.symbol)[is_beat]
    normal, rr = np.isin(symbol, list("NLRej")), np.diff(at, prepend=at[0] - 1 if len(at) else 0)
    of_normal = normal[3:] & normal[2:-1] & normal[1:-2] & normal[:-3]
    if of_normal.sum() < 10 or np.median(np.abs(np.log(rr[3:] / rr[2:-1]))[of_normal]) > 0.05:
        return [(0, seconds, UNKNOWN)]
    of_s, of_v = np.isin(symbol, list("AaJS")), np.isin(symbol, list("VE"))
    state = np.where(np.isin(symbol, list("/fQ?")), UNKNOWN, PLACE["NSR"])
    for period, name in ((3, "TRIGEMINY"), (2, "BIGEMINY")):
        state[pattern_of(of_v, period)] = PLACE[name]
    for mask, least, quick, slow in ((of_s, 4, PLACE["SVT"], UNKNOWN), (of_v, 3, PLACE["VT"], PLACE["IVR"])):
        for first, end in runs_of(mask, least):
            state[first:end] = quick if np.diff(at[first:end]).mean() < 0.6 else slow
    edges = np.r_[0, (at[1:] + at[:-1]) / 2, seconds]
    cuts = np.r_[0, np.flatnonzero(np.diff(state)) + 1, len(state)]
    return [(edges[a], edges[b], int(state[a])) for a, b in zip(cuts, cuts[1:])]


def stretches_of(set_name, path, said, rate, seconds):
    import wfdb
    if set_name == "irhythm":
        return of_episodes(said["episodes"], rate)
    if not path.with_suffix(".atr").exists() and set_name not in ("twelve", "ludb", "tele"):
        return [(0, seconds, UNKNOWN)]
    if set_name in ("twelve", "ludb"):
        return whole_recording([*said.get("labels", []), said.get("rhythm", "")], seconds)
    if set_name == "tele":
        with open(path.with_suffix(".mask.csv"), newline="") as file:
            rows = [(int(row["start"]) / rate, int(row["end"]) / rate, row["kind"]) for row in csv.DictReader(file)]
        return of_artifacts(rows, seconds)
    marks = wfdb.rdann(str(path), "atr")
    if set_name == "cudb":
        return fibrillation_stretches(marks, rate, seconds)
    if set_name in ("svdb", "qtdb"):
        if not said.get("typed", True):
            return [(0, seconds, UNKNOWN)]
        return by_beats(marks, rate, seconds)
    changes = [(sample / rate, text.strip("\0").lstrip("(")) for sample, symbol, text
               in zip(marks.sample, marks.symbol, marks.aux_note) if symbol == "+"]
    found = of_changes(changes, seconds)
    if not found and set_name == "cpsc2021":
        return [(0, seconds, PLACE["NSR"])]
    if said.get("rhythm", "").startswith("persistent"):  # the last change only closes the fibrillation
        found = [(start, end, UNKNOWN if state == PLACE["NSR"] else state) for start, end, state in found]
    return found


def read(folders):
    """Returns the records with signals below the folders."""
    import wfdb
    found = []
    for folder in map(Path, folders):
        file = folder / "labels.json"
        labels = json.loads(file.read_text()) if file.exists() else {}
        for header in sorted(folder.glob("*.hea")):
            path, head = header.with_suffix(""), wfdb.rdheader(str(header.with_suffix("")))
            rate, seconds = float(head.fs), head.sig_len / head.fs
            said = labels.get(path.name, {})
            stretches = stretches_of(folder.name, path, said, rate, seconds)
            found.append(Record(folder.name, path.name, patient_of(folder.name, path.name), path, rate, seconds,
                                stretches, readers=[of_episodes(own, rate) for own in said.get("readers", [])]))
    return found


def read_intervals(folder):
    """Returns the records of a folder with R-peak times only; their tables have the columns of intervals."""
    found = []
    for file in sorted(Path(folder).glob("*.beats.csv")):
        name = file.name.removesuffix(".beats.csv")
        times = np.loadtxt(file, delimiter=",", skiprows=1) / 250
        with open(file.with_name(f"{name}.rhythm.csv"), newline="") as rows:
            changes = [(int(row["sample"]) / 250, row["label"]) for row in csv.DictReader(rows)]
        changes = [(at, {"J": "JUNCTIONAL"}.get(label, label)) for at, label in changes]
        record = Record(folder.name, name, f"{folder.name}/{name}", file, 250.0, float(times[-1]),
                        of_changes(changes, float(times[-1])))
        record.times = times
        rr = np.diff(times)
        rr = np.clip(np.r_[np.median(rr), rr], 0.15, 6)
        record.names = ["rr_s", *fibrillation.NAMES]
        record.table = np.c_[rr, fibrillation.measures(rr)].astype(np.float32)
        record.classes = np.full((len(rr), 4), np.nan)
        found.append(record)
    return found


def label_beats(record):
    """Gives each beat the state of its segment, by the committee and by each reader."""
    def of(stretches):
        label = np.full(len(record.times), UNKNOWN)
        for start, end, state in stretches:
            first, last = np.searchsorted(record.times, (start, end))
            label[first:last] = state
        return label

    record.label = of(record.stretches)
    record.reader_labels = [of(stretches) for stretches in record.readers]


def edges_of(record):
    """Returns the boundaries between beats, and the end of the last, [K + 1]: halfway between R peaks."""
    times = record.times
    return np.r_[0, (times[1:] + times[:-1]) / 2, record.seconds] if len(times) else np.array([0, record.seconds])


def assign_folds(records, folds):
    """Divides patients into folds with similar rhythms, set by set in the order of their rarest rhythm."""
    rarity = {}
    counts = np.zeros(len(STATES))
    for record in records:
        for state in {state for _, _, state in record.stretches if state != UNKNOWN}:
            counts[state] += 1
    for record in records:
        own = [(counts[state], state) for _, _, state in record.stretches if state != UNKNOWN]
        key = (record.set, record.patient)
        rarity[key] = min(rarity.get(key, (np.inf, 0)), min(own, default=(np.inf, 0)))
    fold_of = {}
    for name in sorted({key[0] for key in rarity}):
        own = sorted((rare[1], patient) for (of, patient), rare in rarity.items() if of == name)
        for place, (_, patient) in enumerate(own):
            fold_of.setdefault(patient, place % folds)
    for record in records:
        record.fold = fold_of[record.patient]
