"""Posteriors of beat classes by the model of scripts/train_classifier, or as that script saved them out of fold."""
import base64
import json

import numpy as np
from numba import njit

from classify import rounds

FORMS = {"first_split": "<i4", "first_leaf": "<i4", "feature": "<i2", "threshold": "<f4", "left": "i1", "right": "i1",
         "nan_left": "u1", "leaf": "<f4"}


@njit(cache=True)
def tree_sums(x, first_split, first_leaf, feature, threshold, left, right, nan_left, leaf, classes):
    """Returns the sums of the trees' leaves, [K, classes]; the trees are of the classes in turn."""
    sums = np.zeros((len(x), classes))
    for t in range(len(first_split)):
        split = first_split[t]
        end = first_split[t + 1] if t + 1 < len(first_split) else len(feature)
        for i in range(len(x)):
            at = 0 if end > split else -1
            while at >= 0:
                value = x[i, feature[split + at]]
                goes_left = nan_left[split + at] != 0 if np.isnan(value) else value <= threshold[split + at]
                at = left[split + at] if goes_left else right[split + at]
            sums[i, t % classes] += leaf[first_leaf[t] - 1 - at]
    return sums


class Trees:
    """A round's trees; predicts as LightGBM does."""

    def __init__(self, of_round):
        self.inputs = of_round["inputs"]
        self.arrays = [np.frombuffer(base64.b64decode(of_round[name]), form).astype(form.lstrip("<"))
                       for name, form in FORMS.items()]

    def predict(self, inputs, **_):
        return tree_sums(np.ascontiguousarray(inputs, np.float32), *self.arrays, 4)


class Classifier:
    def __init__(self, path):
        document = json.loads(path.read_text())
        self.digest = document["trees_sha256"]
        self.models = {name: [Trees(of) for of in series] for name, series in document["series"].items()}
        self.options = rounds.Options(af_weight=document["af_weight"])

    def posteriors(self, record):
        """Returns posteriors of N, S, V and X, [K, 4]."""
        odds = {}
        for name, models in self.models.items():
            settings = rounds.series_options(self.options, name)
            for k, model in enumerate(models):
                if model.inputs != rounds.input_names(record.names, settings, k > 0):
                    raise ValueError("the model of beat classes reads other columns than the beat tables have")
            odds[name] = rounds.predict(models, record, settings)
        return rounds.combined(odds["noise"], odds["clean"])


def fill(records, classifier, saved=None):
    """Sets the classes of records; those in `saved` (.npz of train_classifier --save) are out of fold."""
    known = np.load(saved) if saved else {}
    for record in records:
        name = f"{record.set}/{record.name}"
        of = known[name] if name in known else None
        record.classes = of if of is not None and len(of) == len(record.table) else classifier.posteriors(record)
