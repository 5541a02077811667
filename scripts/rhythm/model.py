"""The model file: a readable JSON header, and regressions as arrays in base64."""
import base64
import dataclasses
import hashlib
import json

import numpy as np

from model_text import lines_of
from quality import data, fibrillation
from rhythm import features, training
from rhythm.records import STATES

FORMAT, VERSION = "beatscan rhythm", 2
SETS = {
    **data.SETS,
    "cpsc2021": fibrillation.SETS["cpsc2021"],
    "afdb": ("MIT-BIH Atrial Fibrillation Database 1.0.0, R peaks alone", "ODC-By 1.0",
             "Moody GB, Mark RG, A new method for detecting atrial fibrillation using R-R intervals, Computers in "
             "Cardiology 10:227-230, 1983"),
}
ARRAYS = ("mean", "deviation", "weight", "intercept")
DEFINITION = {
    "window": "statistic of a measure over a beat and `reach` beats on either side, less what does not exist",
    "input": f"(feature - mean) / deviation within {training.MOST:g}; 0 where it does not exist",
    "log_p": "log softmax of weight x input + intercept, float32 arrays, weight [states][features]",
    "emission": "temperature x (log_p - log training_prior + (1 - balance) x log prior)",
    "transition": "stay, or else one drawn from the prior",
    "confidence": "logistic of the log odds of a segment's mean probability, exp(log_p), over confidence_temperature",
}


def plain(value, digits=6):
    """Returns nested lists and dicts with numbers rounded to this many significant digits, NaN as None."""
    if isinstance(value, dict):
        return {str(key): plain(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item, digits) for item in value]
    if isinstance(value, (float, np.floating)):
        return None if not np.isfinite(value) else float(f"{value:.{digits}g}")
    return int(value) if isinstance(value, np.integer) else value


def text_of(regression, wanted):
    return {"features": [list(feature) for feature in wanted], "training_prior": plain(regression.prior),
            **{name: base64.b64encode(getattr(regression, name).astype("<f4").tobytes()).decode() for name in ARRAYS}}


def of_text(document):
    """Returns the regression and its features."""
    arrays = {name: np.frombuffer(base64.b64decode(document[name]), "<f4").astype(np.float32) for name in ARRAYS}
    arrays["weight"] = arrays["weight"].reshape(len(STATES), -1)
    return (training.Regression(**arrays, prior=np.array(document["training_prior"])),
            [tuple(feature) for feature in document["features"]])


def without_program(table):
    """Returns the tables without the program's own figures, which are those of the previous model."""
    if not isinstance(table, dict):
        return table
    return {key: without_program(of) for key, of in table.items() if key != "program"}


def digest(parts):
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def write(path, regressions, decoding, some, how, tables):
    """Writes the model. regressions: name -> (regression, features); decoding: what the decoder needs."""
    parts = {"decoding": plain(decoding), "regressions": {name: text_of(*of) for name, of in regressions.items()}}
    header = {
        "format": FORMAT, "version": VERSION, "states": list(STATES), "definition": DEFINITION,
        "sets": [{"name": name, "records": sum(r.set == name for r in some),
                  **dict(zip(("title", "licence", "cite"), SETS.get(name, (name, "as its owner states", ""))))}
                 for name in sorted({r.set for r in some})],
        "source": data.PHYSIONET, "training": how, "out_of_fold": without_program(tables), "sha256": digest({"states": list(STATES), **parts}),
    }
    path.write_text(lines_of(plain(header, 4))[:-2] + ",\n"
                    + ",\n".join(f'  "{name}": {lines_of(part, 2)}' for name, part in parts.items()) + "\n}\n")


def read(path):
    """Returns name -> (regression, features), and what the decoder needs."""
    document = json.loads(path.read_text())
    if (document.get("format"), document.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path}: not a model of version {VERSION}")
    if digest({name: document[name] for name in ("decoding", "regressions", "states")}) != document["sha256"]:
        raise ValueError(f"{path}: damaged")
    return {name: of_text(of) for name, of in document["regressions"].items()}, document["decoding"]


def decoding_of(priors, settings, temperature, decides):
    return {"priors": {name: prior for name, prior in priors.items()},
            "settings": {name: dataclasses.asdict(of) for name, of in settings.items()},
            "strip_s": 120, "confidence_temperature": temperature, "decides": decides}


def measure_texts():
    """Returns what each measure is, for the document."""
    return {**features.INTERVALS, **features.CLASSES, **features.WAVES}
