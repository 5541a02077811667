"""Posteriors of beat classes of records: out of fold if scripts/train_classifier saved them, else the program's."""
import numpy as np


def fill(records, saved=None):
    """Replaces the program's posteriors by those in `saved` (.npz of train_classifier --save).

    The classifier was trained on these records, so its own posteriors of them are too good.
    """
    known = np.load(saved) if saved else {}
    for record in records:
        name = f"{record.set}/{record.name}"
        if name in known and len(known[name]) == len(record.table):
            record.classes = known[name]
