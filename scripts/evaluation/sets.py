"""Sets of records: a folder each, and whose records belong to one person."""
import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluation import records
from evaluation.ranking import KINDS, MIN_POSITIVES

# The noise stress test is noise on records of the arrhythmia database: 118e_6 is 118. The names are those of folders.
MADE_OF = {"nstdb": ("ds1", "mitdb", "mitdb-ds1")}
# Excerpts of CinC 2014 whose constants agree in all their signals.
ONE_PERSON = {"cinc2014": ("p112 p190", "p124 p178", "p130 p154 p172", "p160 p166", "p184 q1023", "q1807 q42511",
                           "q2602 q2733")}


@dataclass(frozen=True)
class RecordSet:
    name: str
    folder: Path
    records: list  # of records.Record, without signals

    @property
    def names(self):
        return [record.name for record in self.records]

    @cached_property
    def is_ranked(self):
        """Returns whether a record has enough abnormal beats for a ranking. Otherwise only the detection counts."""
        return any(sum(int((record.classes == name).sum()) for name in KINDS["SVF"]) >= MIN_POSITIVES
                   for record in self.records)

    @cached_property
    def hash(self):
        """Returns a key that differs between sets of signals. It does not cover annotations, which no program reads."""
        digest = hashlib.sha256()
        for path in sorted({path for name in self.names for path in self.folder.glob(f"{name}*")}):
            if path.suffix not in (".atr", ".csv"):
                digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()


def read_set(folder, name=None):
    names = records.names_in(folder)
    if not names:
        raise ValueError(f"no records with annotations in {folder}")
    return RecordSet(name or folder.resolve().name, folder, [records.read_truth(folder, each) for each in names])


def people_of(record_set, all_names):
    """Returns a key for each record: equal for records of one person, in any set. all_names: of the sets."""
    home = next((name for name in MADE_OF.get(record_set.name, ()) if name in all_names), None)
    together = {name: group for group in ONE_PERSON.get(record_set.name, ()) for name in group.split()}
    if record_set.name in MADE_OF:
        return [f"{home or record_set.name}/{name.split('e')[0]}" for name in record_set.names]
    return [f"{record_set.name}/{together.get(name, name)}" for name in record_set.names]
