"""Records whose beats have no classes, but labels that say something of the class of many detections.

- Sinus rhythm by episodes (irhythm): a beat that is not premature is N. Others may be single extrasystoles.
- Sinus rhythm without extrasystoles by the labels of a 12-lead ECG (ludb, twelve): every beat is N.
- Annotated beats without classes (tele): a detection apart from them is X, and an annotated beat that is not premature
  is N. In an artifact that somebody has seen beats were not annotated: nothing is known there.
"""
import csv
import json

import numpy as np

from classify import records
from classify.records import N, OTHER, X

SETS = ("irhythm", "ludb", "twelve", "tele")
# What a label holds that speaks against "every beat is N", in the words of LUDB and of the 12-lead challenges.
ECTOPIC = ("xtrasystole", "acing", "acemaker", "III degree", "Aberrant", "PAC", "PVC", "AF", "atrial tachycardia")


def spans_of(of_set, labels, samples):
    """Returns (first, end, what is known) in samples: every detection is `N`; those that are not premature are
    (`sinus`); those that match a beat and are not premature are, and those that match none are X (`beats`)."""
    if of_set == "irhythm":
        return [(start - 1, end or samples, "sinus") for start, end, name in labels["episodes"] if name == "NSR"]
    if of_set in ("ludb", "twelve"):
        sinus = any("inus " in text for text in labels["labels"])
        ectopic = any(word in text for word in ECTOPIC for text in labels["labels"])
        return [(0, samples, "N")] if sinus and not ectopic else []
    return [(0, samples, "beats")]


def seen_artifacts(path):
    """Returns (first, end) in samples of the artifacts of TELE that somebody has seen, with a second on either side."""
    with open(path.with_suffix(".mask.csv")) as file:
        return [(int(row["start"]) - 500, int(row["end"]) + 500) for row in csv.DictReader(file)
                if row["kind"] == "visual"]


def read(folder):
    """Returns the records of a folder that is named like one of SETS."""
    import wfdb
    labels = json.loads((folder / "labels.json").read_text()) if (folder / "labels.json").exists() else {}
    found = []
    for header in sorted(folder.glob("*.hea")):
        path = header.with_suffix("")
        head = wfdb.rdheader(str(path))
        spans = spans_of(folder.name, labels.get(path.name), head.sig_len)
        if not spans:
            continue
        beats = np.zeros(0, int)
        if folder.name == "tele":
            marks = wfdb.rdann(str(path), "atr")
            beats = np.asarray(marks.sample)[np.isin(marks.symbol, list(records.CLASS_OF))]
            spans += [(first, end, "unknown") for first, end in seen_artifacts(path)]
        found.append(records.Record(folder.name, path.name, records.patient_of(path.name), path, float(head.fs),
                                    beats, np.full(len(beats), OTHER), spans=spans))
    return found


def label(record):
    """Sets the labels of the detections that are known."""
    matched = np.zeros(len(record.peaks), bool)
    record.match = records.match(record.reference, record.peaks, records.TOLERANCE_S * record.rate)
    matched[record.match[record.match >= 0]] = True
    premature = record.table[:, record.names.index("is_premature")] > 0
    record.label = np.full(len(record.peaks), OTHER)
    for first, end, what in record.spans:
        inside = (record.peaks >= first) & (record.peaks < end)
        if what == "N":
            record.label[inside] = N
        elif what == "sinus":
            record.label[inside & ~premature] = N
        elif what == "unknown":
            record.label[inside] = OTHER
        else:
            record.label[inside & ~matched] = X
            record.label[inside & matched & ~premature] = N
