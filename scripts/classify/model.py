"""The model file: a readable JSON header, and trees as arrays in base64.

A tree's splits are numbered from 0. A child of 0 or more is a split, and a child of -1 - k is leaf k. A value goes to
the left if it is at most the threshold; `nan_left` decides for a missing one.
"""
import base64
import hashlib
import json

import numpy as np

from classify import measure, rounds
from classify.records import CLASSES, S, V, X
from quality import data

FORMAT, VERSION = "beatscan beat classes", 3
SETS = {
    **data.SETS,
    "nstdb": ("MIT-BIH Noise Stress Test Database 1.0.0", "ODC-By 1.0",
              "Moody GB, Muldrow WE, Mark RG, A noise stress test for arrhythmia detectors, Computers in "
              "Cardiology 11:381-384, 1984"),
}


def floor32(value):
    """Returns the largest float32 that is not above a double: comparing float32 values with either gives the same
    result."""
    with np.errstate(over="ignore"):  # "everything but NaN to the left" is 1e300
        rounded = np.float32(value)
    return rounded if float(rounded) <= value else np.nextafter(rounded, np.float32(-np.inf))


class Arrays:
    """The trees of one round, [trees of a class], class after class."""

    def __init__(self):
        self.first_split, self.first_leaf = [], []
        self.feature, self.threshold, self.left, self.right, self.nan_left, self.leaf = [], [], [], [], [], []

    def add(self, tree):
        self.first_split.append(len(self.feature))
        self.first_leaf.append(len(self.leaf))
        splits, leaves = [], []

        def number(node):
            if "split_feature" not in node:
                leaves.append(node["leaf_value"])
                return -len(leaves)
            place = len(splits)
            splits.append(None)
            threshold = node["threshold"]
            nan_left = node["default_left"] if node["missing_type"] == "NaN" else 0 <= threshold
            left, right = number(node["left_child"]), number(node["right_child"])
            splits[place] = (node["split_feature"], floor32(threshold), left, right, nan_left)
            return place

        number(tree["tree_structure"])
        for feature, threshold, left, right, nan_left in splits:
            self.feature.append(feature), self.threshold.append(threshold), self.nan_left.append(nan_left)
            self.left.append(left), self.right.append(right)
        self.leaf += leaves

    def document(self):
        forms = {"first_split": "<i4", "first_leaf": "<i4", "feature": "<i2", "threshold": "<f4", "left": "i1",
                 "right": "i1", "nan_left": "u1", "leaf": "<f4"}
        return {name: base64.b64encode(np.array(getattr(self, name)).astype(form).tobytes()).decode()
                for name, form in forms.items()}


def round_of(model, names, options, later):
    arrays = Arrays()
    trees = model.dump_model()["tree_info"]
    for tree in trees:
        arrays.add(tree)
    return {"inputs": rounds.input_names(names, options, later), "trees": len(trees), **arrays.document()}


def figures(records, posteriors):
    classes = [p.argmax(1) for p in posteriors]
    table = {}
    for name in sorted({r.set for r in records if r.spans is None}):
        places = [k for k, r in enumerate(records) if r.set == name and not r.noisy]
        some = [records[k] for k in places]
        of = {"model": [classes[k] for k in places]}
        table[name] = {f"{CLASSES[c]}, {who}": measure.gross(some, k, c) for c in (V, S) for who, k in of.items()}
    clean = [k for k, r in enumerate(records) if not r.noisy and r.spans is None]
    table["calibration: posterior, share, beats"] = {
        CLASSES[c]: measure.calibration([records[k] for k in clean], [posteriors[k] for k in clean], c)
        for c in (S, V, X)}
    return table


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    if isinstance(value, float):
        return None if not np.isfinite(value) else float(f"{value:.4g}")
    return value


def digest_of(document):
    """Returns the digest of everything that determines results."""
    parts = {name: document[name] for name in ("af_weight", "calibration", "chain", "most_odds", "series")}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def write(path, series, chain, calibration, records, options, posteriors):
    """Writes the model. `posteriors` are out of fold."""
    names = records[0].names
    document = {
        "format": FORMAT, "version": VERSION, "classes": list(CLASSES), "most_odds": rounds.MOST_ODDS,
        "af_weight": options.af_weight,
        "calibration": {name: {"slope": float(f"{slope:.6g}"), "offset": float(f"{offset:.6g}")}
                        for name, (slope, offset) in zip(CLASSES[1:], calibration)},
        "chain": {"states": ["N or S", "V", "X"],
                  "slope": {name: float(f"{slope:.6g}") for name, slope in zip("VX", chain.slope)},
                  "pair": [[float(f"{weight:.6g}") for weight in row] for row in chain.pair]},
        "sets": [{"name": name, "records": sum(r.set == name and not r.noisy for r in records),
                  "noisy_copies": sum(r.set == name and r.noisy for r in records),
                  **dict(zip(("title", "licence", "cite"), SETS.get(name, (name, "as its owner states", ""))))}
                 for name in sorted({r.set for r in records})],
        "source": data.PHYSIONET,
        "training": {"trees": options.trees, "rounds": options.rounds, "seed": options.seed, **rounds.PARAMETERS},
        "out_of_fold": rounded(figures(records, posteriors)),
        "series": {name: [round_of(model, names, rounds.series_options(options, name), k > 0)
                          for k, model in enumerate(models)] for name, models in series.items()},
    }
    document["sha256"] = digest_of(document)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
