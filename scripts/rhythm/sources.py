"""Priors of rhythms by the source of a recording."""
import numpy as np

from rhythm.records import STATES, UNKNOWN

STRIP_S = 120.0  # recordings up to this length are strips
LEAST_SHARE = 0.001
SETS = {"strip": ("irhythm",), "holter": ("ds1", "svdb", "qtdb")}  # a monitor is halfway: no set has that source
# Rhythms that are not reported in long recordings: in sinus rhythm they cause a minute or more of false time an hour,
# and there is no long recording with the rhythm to show that they are detected.
NOT_IN_LONG, NONE = ("AFL", "EAR"), 1e-12


def shares(records, sets):
    """Returns shares of the annotated time of the sets, with equal weight for each set."""
    found = np.zeros(len(STATES))
    for name in sets:
        own = np.zeros(len(STATES))
        for record in records:
            if record.set == name:
                for start, end, state in record.stretches:
                    if state != UNKNOWN:
                        own[state] += end - start
        found += own / max(own.sum(), 1e-9)
    found = np.maximum(found / max(found.sum(), 1e-9), LEAST_SHARE)
    return found / found.sum()


def priors(records):
    found = {source: shares(records, sets) for source, sets in SETS.items()}
    found["monitor"] = (found["strip"] + found["holter"]) / 2
    for source in ("holter", "monitor"):
        found[source][[STATES.index(name) for name in NOT_IN_LONG]] = NONE
        found[source] /= found[source].sum()
    return found


def source_of(record):
    return "strip" if record.seconds <= STRIP_S else "holter"
