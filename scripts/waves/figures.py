"""Tables of out-of-fold figures: {table: {name: [value, low, high]}}, and counts by record."""
import numpy as np

from waves.data import P, SETS
from waves.decode import fuse
from waves.measure import (best_lead, blocks, delineation, evidence_of, figure, p_waves, presence, record_intervals,
                           rhythms, rhythms_of)

WITHOUT_P = ("AFIB", "JUNCTIONAL")  # rhythms
WITH_P = ("NSR",)


def by_set(outcomes):
    return {name: [o for o in outcomes if o.record.set == name] for name in SETS}


def tables(outcomes, noisy):
    """Returns the figures of the net. noisy: {microvolts: outcomes} of LUDB with noise."""
    of = by_set(outcomes)
    table, by_record, evidence = {}, {}, {}
    if of["ludb"]:
        table["LUDB, each lead, local averages"] = delineation(of["ludb"], lambda o: o.averaged)
        table["LUDB, each lead, single beats"] = delineation(of["ludb"], lambda o: o.beaten)
        table["LUDB, medians of a record over 12 leads"] = record_intervals(of["ludb"])
        evidence["LUDB"] = presence(of["ludb"])
        for noise, group in noisy.items():
            table[f"LUDB, {noise} uV of noise, local averages"] = delineation(group, lambda o: o.averaged)
            table[f"LUDB, {noise} uV of noise, single beats"] = delineation(group, lambda o: o.beaten)
            evidence[f"LUDB, {noise} uV of noise"] = presence(group)
    if of["qtdb"]:
        table["QTDB, best lead"] = best_lead(of["qtdb"])
    if of["pwave"]:
        evidence["MIT-BIH"] = presence(of["pwave"])
        ways = {"averages": {}, "averages, evidence .2": {"scores": evidence_of, "least": 0.2},
                "single": {"single": True}}
        table["MIT-BIH P waves"], by_record["MIT-BIH P waves: tp, fp, fn"] = p_waves(of["pwave"], ways)
    if evidence:
        table["P evidence: P wave before this beat, AUROC"] = evidence
    if of["irhythm"]:
        table["P evidence over 11 beats, AUROC"] = rhythms(of["irhythm"])
        table["Non-conducted P waves a beat, AUROC"] = blocks(of["irhythm"])
    return table, by_record


def of_p(rows):
    return {name: value for name, value in rows.items() if name.startswith("P ")}


def tables_of_confident_p(outcomes, sure, confidence_of):
    """Returns the figures of P waves with a confidence of at least one half.

    sure: the outcomes without other P waves, each lead by itself; confidence_of: that of an outcome's beats over
    all leads.
    """
    of, of_sure, table, by_record = by_set(outcomes), by_set(sure), {}, {}
    what = "P waves of confidence .5 and more"
    if of["ludb"]:
        table[f"LUDB, each lead, {what}"] = of_p(delineation(of_sure["ludb"], lambda o: o.averaged))
    if of["qtdb"]:
        table[f"QTDB, best lead, {what}"] = of_p(best_lead(of_sure["qtdb"]))
    if of["pwave"]:
        ways = {"averages, confidence .5": {"scores": confidence_of, "least": 0.5}}
        table[f"MIT-BIH P waves, {what}"], by_record[f"MIT-BIH, {what}: tp, fp, fn"] = p_waves(of["pwave"], ways)
    titles = {"ludb": "LUDB", "pwave": "MIT-BIH"}
    table["P confidence: P wave before this beat, AUROC"] = {
        title: presence(of[name], confidence_of) for name, title in titles.items() if of[name]}
    if of["irhythm"]:
        table["Share of the beats with a P wave, %"] = shares(of["irhythm"], confidence_of)
    return table, by_record


def shares(outcomes, confidence_of):
    """Returns the share of beats with a P wave for each rhythm, and with one of confidence one half or more."""
    counts = {}
    for outcome in outcomes:
        name = rhythms_of(outcome.record, outcome.windows.r)
        found, confidence = ~np.isnan(fuse(outcome.averaged)[:, 3 * P]), confidence_of(outcome)
        for rhythm in WITHOUT_P + WITH_P:
            rows = name == rhythm
            if rows.any():
                counts.setdefault(rhythm, []).append((rows.sum(), found[rows].sum(), (confidence[rows] >= 0.5).sum()))
    share = lambda k: lambda sums: 100 * sums[..., k] / np.maximum(sums[..., 0], 1)
    return {f"{rhythm}, {title}": figure(rows, share(k)) for rhythm, rows in counts.items()
            for k, title in ((1, "found"), (2, "confidence .5"))}
