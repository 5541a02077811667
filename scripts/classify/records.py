"""Reads annotated WFDB records: positions and classes of beats."""
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

CLASSES = "NSVX"  # normal, supraventricular, ventricular, artifact (false detection)
N, S, V, X = range(4)
FUSION, OTHER = 4, 5  # fusion beats are trained as V with a low weight, others (paced, unclassifiable) not at all
CLASS_OF = {**dict.fromkeys("NLRej", N), **dict.fromkeys("AaJS", S), **dict.fromkeys("VE", V), "F": FUSION,
            **dict.fromkeys("/fQ?Bnr", OTHER)}
TOLERANCE_S = 0.15


@dataclass
class Record:
    set: str  # name of the folder
    name: str
    patient: str
    path: Path  # of the WFDB record, without an extension
    rate: float
    reference: np.ndarray  # [A] samples of the beats
    reference_class: np.ndarray  # [A]
    noisy: bool = False  # a copy with synthetic noise
    spans: list = None  # of records without beat classes: what is known of detections, see weak.py
    fold: int = 0
    names: list = field(default_factory=list)  # [C] columns
    table: np.ndarray = None  # [K, C]
    peaks: np.ndarray = None  # [K] samples
    reported: np.ndarray = None  # [K] the classes in beats.csv, OTHER for Q
    unsupervised: np.ndarray = None  # [K] score without the contribution of the classes
    label: np.ndarray = None  # [K] class of the matching beat, X without one
    match: np.ndarray = None  # [A] the detection of each beat; -1: missed


def patient_of(name):
    """118e06 of the noise stress test is a copy of 118; data_N_M of CPSC 2021 is part M of patient N."""
    for pattern in (r"(\d{3})e_?\d+$", r"(data_\d+)_\d+$"):
        if found := re.match(pattern, name):
            return found[1]
    return name


def is_typed(folder, name):
    labels = folder / "labels.json"
    return not labels.exists() or json.loads(labels.read_text()).get(name, {}).get("typed", True)


def read(folders):
    """Returns the records below the folders whose beats have classes."""
    import wfdb
    from classify import weak
    records = []
    for folder in folders:
        if folder.name in weak.SETS:
            records += weak.read(folder)
            continue
        for header in sorted(Path(folder).rglob("*.hea")):
            path = header.with_suffix("")
            if not path.with_suffix(".atr").exists() or not is_typed(header.parent, path.name):
                continue
            marks = wfdb.rdann(str(path), "atr")
            beats = np.isin(marks.symbol, list(CLASS_OF))
            classes = np.array([CLASS_OF[symbol] for symbol in np.array(marks.symbol)[beats]], int)
            rate = float(wfdb.rdheader(str(path)).fs)
            records.append(Record(header.parent.name, path.name, patient_of(path.name), path, rate,
                                  np.asarray(marks.sample)[beats], classes))
    return records


def match(reference, peaks, tolerance):
    """Returns the detection of each reference beat, each used at most once, nearest first; -1 for none."""
    found, taken = np.full(len(reference), -1), np.zeros(len(peaks), bool)
    first = np.searchsorted(peaks, reference - tolerance)
    last = np.searchsorted(peaks, reference + tolerance, side="right")
    pairs = sorted((abs(peaks[k] - r), i, k) for i, r in enumerate(reference) for k in range(first[i], last[i]))
    for _, i, k in pairs:
        if found[i] < 0 and not taken[k]:
            found[i], taken[k] = k, True
    return found


def label(record):
    """Matches the detections of a record with its annotations."""
    if record.spans is not None:
        from classify import weak
        weak.label(record)
        return
    record.match = match(record.reference, record.peaks, TOLERANCE_S * record.rate)
    record.label = np.full(len(record.peaks), X)
    found = record.match >= 0
    record.label[record.match[found]] = record.reference_class[found]


def assign_folds(records, folds):
    """Divides patients into folds with similar numbers of S and V beats of each set."""
    wanted = {}
    for record in records:
        counts = wanted.setdefault((record.set if not record.noisy else "", record.patient), np.zeros(2, int))
        counts += [(record.reference_class == S).sum(), (record.reference_class == V).sum()]
    fold_of = {}
    for name in sorted({key[0] for key in wanted}):
        own = [(-counts[0] - counts[1], patient) for (of, patient), counts in wanted.items() if of == name]
        for place, (_, patient) in enumerate(sorted(own)):
            turn, at = divmod(place, folds)
            fold_of.setdefault(patient, at if turn % 2 == 0 else folds - 1 - at)
    for record in records:
        record.fold = fold_of[record.patient]
