"""The model file: readable JSON, with its forests as arrays. Reference values for tests."""
import base64
import datetime
import hashlib
import json

import numpy as np

from model_text import lines_of
from quality import data, features, fibrillation, forest, recording, signals, training

FORMAT, VERSION = "beatscan quality", 1
PARTS = ("blocks", "calibration", "recordings")
FIBRILLATION_PARTS = ("forest", "chain")
UNIT_MV = 0.005  # of a synthetic recording
DEFINITION = {
    "values_a_second": signals.RATE, "block_values": signals.BLOCK, "features": list(features.NAMES),
    "classes": ["good", "noise", "lost"], "recording_window_blocks": recording.WINDOW,
    "recording_features": list(recording.AGGREGATES),
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


def text(tables):
    """Returns the figures as lines: value and 95 % interval."""
    lines = []
    for name, rows in tables.items():
        lines.append(f"\n{name}")
        lines += [f"  {row:34} {value:7.3f}   {low:6.3f} to {high:6.3f}" for row, (value, low, high) in rows.items()]
    return "\n".join(lines)


def sets_of(counts, sets=data.SETS):
    return [{"set": name, "database": title, "records": counts[name], "licence": licence, "cite": citation}
            for name, (title, licence, citation) in sets.items() if counts.get(name)]


def digest(header):
    """Returns the SHA-256 of everything that the program computes with."""
    parts = {name: header[name] for name in PARTS}
    if "fibrillation" in header:
        parts["fibrillation"] = {name: header["fibrillation"][name] for name in FIBRILLATION_PARTS}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def checked(file):
    """Returns the document of a model."""
    header = json.loads(file.read_text())
    if (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{file}: not a model of version {VERSION}")
    if digest(header) != header["sha256"]:
        raise ValueError(f"{file}: damaged")
    return header


def write(file, blocks, calibration, recordings, counts, how, tables, reliability):
    """Writes the model. counts: records of each set; how: how it was trained."""
    parts = {"blocks": blocks.text(), "calibration": calibration, "recordings": recordings.text()}
    header = {
        "format": FORMAT, "version": VERSION, "date": datetime.date.today().isoformat(),
        "description": "Quality of leads in blocks of two seconds, and of recordings. docs/quality.md specifies it.",
        "definition": DEFINITION, "training": how, "sets": sets_of(counts), "cite_with_all": data.PHYSIONET,
        "out_of_fold": {"what": "value, and 95 % interval of a bootstrap over records; AUROC, share called bad",
                        "tables": tables, "reliability": reliability},
        "forests": "node k of a tree: value at most threshold -> 2 k + 1, else 2 k + 2; tree t: class t % classes",
        "sha256": digest(parts), **parts,
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    save(file, header)


def write_fibrillation(file, trees, chain, counts, how, table, reliability):
    """Writes the model of fibrillation into the file of quality."""
    parts = {"forest": trees.text(), "chain": chain}
    header = json.loads(file.read_text())
    if header["definition"] != DEFINITION:
        raise ValueError(f"{file}: trained for other features than these; run scripts/train_quality first")
    header["fibrillation"] = {
        "date": datetime.date.today().isoformat(),
        "description": "Ventricular fibrillation and flutter. docs/fibrillation.md specifies it.",
        "context_blocks": fibrillation.REACH, "training": plain(how), "sets": sets_of(counts, fibrillation.SETS),
        "out_of_fold": plain({"table": table, "reliability": reliability}), **parts}
    header["sha256"] = digest(header)
    save(file, header)


def save(file, header):
    """Writes a header with short numbers, and then the parts that the program computes with."""
    parts = {k: header[k] for k in (*PARTS, "fibrillation") if k in header}
    file.write_text(lines_of(plain({k: v for k, v in header.items() if k not in parts}))[:-2] + ",\n"
                    + ",\n".join(f'  "{k}": {lines_of(v, 2)}' for k, v in parts.items()) + "\n}\n")


def read(file):
    """Returns the forest of blocks, the calibration and the forest of recordings."""
    header = checked(file)
    return forest.of_text(header["blocks"]), header["calibration"], forest.of_text(header["recordings"])


def read_fibrillation(file):
    """Returns the forest and the chain."""
    header = checked(file)["fibrillation"]
    return forest.of_text(header["forest"]), header["chain"]


def probabilities(blocks, calibration, rows):
    """Returns P(good), P(noise), P(lost) [..., 3] of features [..., features]."""
    scores = blocks.scores(rows.reshape(-1, rows.shape[-1])).reshape(*rows.shape[:-1], 3)
    return training.calibrated(forest.softmax(scores), calibration)


def made_recording(rate, leads, seconds, seed):
    """Returns a synthetic recording in steps of 5 uV, with noise, lead-off, losses and missing samples."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    bell = lambda centre, width, height: height * np.exp(-0.5 * ((t - centre) / width) ** 2)
    x = 0.2 * np.sin(2 * np.pi * 0.21 * t) + rng.normal(size=(leads, len(t))) * 0.008
    for at in np.arange(0.4, seconds, 0.83) + rng.uniform(-0.03, 0.03, len(np.arange(0.4, seconds, 0.83))):
        for lead in range(leads):
            gain = 1 - 0.4 * lead
            x[lead] += bell(at - 0.16, 0.022, 0.12) + gain * (bell(at, 0.012, 1.1) - bell(at + 0.03, 0.01, 0.25))
            x[lead] += gain * bell(at + 0.27, 0.045, 0.3)
    part = lambda first, end: slice(int(first * rate), int(end * rate))
    x[0, part(8, 14)] += rng.normal(size=len(t[part(8, 14)])) * 0.3
    x[0, part(18, 22)] += 0.4 * np.sin(2 * np.pi * 50 * t[part(18, 22)])
    x[-1, part(10, 16)] = 0.35
    x[-1, part(24, 28)] = np.minimum(x[-1, part(24, 28)], 0.3)
    x[-1, part(30.3, 30.34)] = -2
    x[0, part(26, 30)] += np.cumsum(rng.normal(size=len(t[part(26, 30)]))) * 0.05
    x = np.round(x / UNIT_MV)
    x[0, part(33.1, 33.6)] = np.nan
    return x


def write_reference(model_file, file):
    """Writes synthetic recordings and the results of each step, for tests."""
    blocks, calibration, recordings = read(model_file)
    trees, chain = read_fibrillation(model_file)
    out = {"what": "reference values of the signal-quality index; scripts/train_quality --reference writes them",
           "sha256": json.loads(model_file.read_text())["sha256"], "features": list(features.NAMES), "recordings": []}
    for rate, leads, seconds in ((360.0, 2, 34.5), (128.0, 1, 35.0), (250.0, 1, 21.0), (1000.0, 1, 12.5)):
        x = made_recording(rate, leads, seconds, int(rate))
        found = features.features(x * UNIT_MV, rate)
        p = probabilities(blocks, calibration, found)
        units = np.where(np.isnan(x), -32768, x).astype("<i2")
        out["recordings"].append({
            "rate_hz": rate, "leads": leads, "unit_mv": UNIT_MV,
            "samples_int16": base64.b64encode(units.tobytes()).decode(),
            "found": found, "p": p, "acceptable": recording.acceptable(recordings, found, p),
            "fibrillation": fibrillation.posteriors(
                [fibrillation.fused(fibrillation.scores_of(trees, found), p[..., 0])], chain)[0]})
    file.write_text(lines_of(plain(out, 7)) + "\n")
