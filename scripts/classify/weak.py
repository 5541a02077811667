"""Records without beat classes, but with labels from which the class of many detections follows.

- Sinus rhythm by episodes (irhythm): a beat that is not premature is N. Premature ones may be single extrasystoles.
- Sinus rhythm without extrasystoles in the labels of a 12-lead ECG (ludb, twelve): every beat is N.
- Annotated beats without classes (tele): an unmatched detection is X, and an annotated beat that is not premature
  is N. In artifacts marked by a reader beats were not annotated: the class is unknown there.
"""
import csv
import json

import numpy as np

from classify import records
from classify.records import N, OTHER, X

SETS = ("irhythm", "ludb", "twelve", "tele")
# Words in a label that contradict "every beat is N", as used by LUDB and the 12-lead challenges.
ECTOPIC = ("xtrasystole", "acing", "acemaker", "III degree", "Aberrant", "PAC", "PVC", "AF", "atrial tachycardia")


def spans_of(of_set, labels, samples):
    """Returns (first, end, rule) in samples. Rules: every detection is N (`N`); a detection that is not premature is N
    (`sinus`); a detection that matches a beat and is not premature is N, and an unmatched one is X (`beats`)."""
    if of_set == "irhythm":
        return [(start - 1, end or samples, "sinus") for start, end, name in labels["episodes"] if name == "NSR"]
    if of_set in ("ludb", "twelve"):
        sinus = any("inus " in text for text in labels["labels"])
        ectopic = any(word in text for word in ECTOPIC for text in labels["labels"])
        return [(0, samples, "N")] if sinus and not ectopic else []
    return [(0, samples, "beats")]


def seen_artifacts(path):
    """Returns (first, end) in samples of the artifacts of TELE marked by a reader, with a second on either side."""
    with open(path.with_suffix(".mask.csv")) as file:
        return [(int(row["start"]) - 500, int(row["end"]) + 500) for row in csv.DictReader(file)
                if row["kind"] == "visual"]


def read(folder):
    """Returns the records of a folder named like one of SETS."""
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
    """Sets the labels of the detections whose class follows."""
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
