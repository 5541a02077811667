"""The model file: a readable JSON header, and the weights as base64. Reference values for tests."""
import base64
import datetime
import hashlib
import json

import numpy as np
import torch

from model_text import lines_of
from waves import confidence, data, decode, examples, measure, net, windows

FORMAT, VERSION = "beatscan waves", 2
INPUT = {
    "rate_hz": windows.RATE, "values": windows.LENGTH, "r_index": windows.R_INDEX,
    "baseline_hz": windows.BASELINE_HZ, "baseline_block_s": windows.BLOCK_S,
    "baseline_reach_blocks": windows.BASELINE_REACH,
    "sinc_half_width_periods": windows.HALF_WIDTH, "sinc_pass": windows.PASS,
    "average_reach_beats": windows.AVERAGE_REACH, "average_least_beats": windows.LEAST_AVERAGED,
    "height_reach_values": windows.HEIGHT_REACH, "least_height_mv": windows.LEAST_HEIGHT,
    "mark_half_width_values": windows.MARK_HALF_WIDTH,
}


def rounded(value, digits=4):
    """Returns nested lists and dicts with numbers rounded to this many significant digits, NaN as None."""
    if isinstance(value, dict):
        return {str(key): rounded(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [rounded(item, digits) for item in value]
    if isinstance(value, (float, np.floating)):
        return None if not np.isfinite(value) else float(f"{value:.{digits}g}")
    return int(value) if isinstance(value, np.integer) else value


def text(table, by_record, confidences):
    """Returns the figures as lines: value and 95 % interval."""
    lines = []
    table = {**table, **{f"Confidence of {wave} waves: {title}": {
        row: of["share in the reference"] for row, of in rows.items()} if title == "reliability" else {
        f"{row}: {name}": value for row, of in rows.items() for name, value in of.items()}
        for wave, parts in confidences.items() for title, rows in parts.items() if title != "regression"}}
    for name, rows in table.items():
        lines.append(f"\n{name}")
        for row, (value, low, high) in rows.items():
            lines.append(f"  {row:34} {value:9.3f}   {low:9.3f} to {high:9.3f}")
    for name, rows in by_record.items():
        lines.append(f"\n{name}")
        lines += [f"  {row}: {counts}" for row, counts in rows.items()]
    return "\n".join(lines)


def layer_of(layer):
    up, _, skip = layer.source.partition("^+")
    return {"name": layer.name, "source": up, **({"twice_then": skip} if skip else {}), "in": layer.inputs,
            "out": layer.outputs, "kernel": layer.kernel, "stride": layer.stride, "dilation": layer.dilation,
            "padding": (layer.kernel - 1) * layer.dilation // 2, "relu": layer.name != "out"}


def sets_of(records):
    out = []
    for name, (title, licence, citation) in data.SETS.items():
        count = sum(record.set == name for record in records)
        if count:
            out.append({"set": name, "database": title, "records": count, "licence": licence, "cite": citation})
    return out


def confidence_of(confidences):
    """Returns the part `confidence` of the header: constants, and the regression of each wave."""
    out = {"what": "1 / (1 + exp(-(bias + sum of weight (input - mean) / scale))); a missing input counts as its mean",
           "constants": confidence.CONSTANTS}
    for wave, parts in confidences.items():
        of = parts["regression"]
        out[wave] = {"bias": of.bias, "inputs": [
            {"name": name, "mean": mean, "scale": scale, "weight": weight} for name, mean, scale, weight in zip(
                confidence.NAMES[measure.NAMES.index(wave)], of.mean, of.scale, of.weights)]}
    return out


def regressions_of(header):
    """Returns {wave: regression} of a model's header."""
    return {wave: confidence.Regression(*(np.array([one[name] for one in header["confidence"][title]["inputs"]])
                                          for name in ("mean", "scale", "weight")), header["confidence"][title]["bias"])
            for wave, title in enumerate(measure.NAMES)}


def write(file, size, weights, records, training, table, by_record, confidences):
    """Writes the model. training: description of the training; records: those used for training."""
    flat = net.flat_weights(size, weights)
    count, work = net.count_of(size)
    header = {
        "format": FORMAT, "version": VERSION, "date": datetime.date.today().isoformat(),
        "description": "Masks of P, QRS and T waves in windows around the R-wave apex. docs/waves.md specifies it.",
        "input": INPUT, "size": list(size), "layers": [layer_of(layer) for layer in net.layers(size)],
        "output": "out has channels 2 m + h: value 2 j + h of mask m (P, QRS, T) is the sigmoid of value j",
        "decoding": decode.CONSTANTS, "weights_number": count, "multiply_adds": work,
        "training": training, "sets": sets_of(records), "cite_with_all": data.PHYSIONET,
        "confidence": confidence_of(confidences),
        "out_of_fold": {"what": "value, and 95 % interval of a bootstrap over records; ms, %, AUROC",
                        "tables": table, "counts_by_record": by_record,
                        "confidence": {wave: {title: rows for title, rows in parts.items() if title != "regression"}
                                       for wave, parts in confidences.items()}},
        "weights_order": "layer after layer: w [out][in][kernel], then b [out]; float32, little endian, base64",
        "weights_sha256": hashlib.sha256(flat.tobytes()).hexdigest(),
        "weights": base64.b64encode(flat.tobytes()).decode(),
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(lines_of(rounded(header)) + "\n")


def read(file):
    """Returns the size and the weights of a model."""
    header = json.loads(file.read_text())
    if (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{file}: not a model of version {VERSION}")
    raw = base64.b64decode(header["weights"])
    if hashlib.sha256(raw).hexdigest() != header["weights_sha256"]:
        raise ValueError(f"{file}: the weights are damaged")
    return tuple(header["size"]), net.weights_of(tuple(header["size"]), np.frombuffer(raw, "<f4"))


def made_recording(rate=360.0, leads=2):
    """Returns a synthetic recording [leads, samples] and its R peaks: seven beats, one premature, and one lone P
    wave."""
    r = np.array([0.4, 1.2, 2.0, 2.5, 3.6, 4.4, 6.0]) * rate
    r = np.round(r)
    t = np.arange(int(6.9 * rate)) / rate
    bell = lambda centre, width, height: height * np.exp(-0.5 * ((t - centre) / width) ** 2)
    x = np.zeros((leads, len(t)))
    for lead, gain in enumerate((1.0, -0.6)[:leads]):
        for beat, at in enumerate(r / rate):
            if beat != 3:
                x[lead] += bell(at - 0.16, 0.022, 0.12)
            x[lead] += gain * (bell(at - 0.025, 0.008, -0.1) + bell(at, 0.012, 1.1) + bell(at + 0.03, 0.01, -0.25))
            x[lead] += gain * bell(at + 0.27, 0.045, 0.3)
        x[lead] += bell(5.2, 0.022, 0.12) + 0.15 * np.sin(2 * np.pi * 0.2 * t + lead)
    x += np.random.default_rng(7).normal(size=x.shape) * 0.01
    x = np.round(x * 1000) / 1000
    x[0, int(4.55 * rate):int(4.58 * rate)] = np.nan
    return x, r, rate


def write_reference(model_file, file):
    """Writes a synthetic recording and the results of each stage, in float64 arithmetic, for tests of the C++ stage."""
    size, weights = read(model_file)
    x, r, rate = made_recording()
    y = windows.without_baseline(x, rate)
    single = windows.fill(windows.cut(y, rate, r))
    labels = np.array([0, 0, 0, 1, 0, 0, 0])
    neighbour = np.arange(len(r))[:, None] + np.arange(-windows.AVERAGE_REACH, windows.AVERAGE_REACH + 1)
    inside = (neighbour >= 0) & (neighbour < len(r))
    same = inside & (labels[np.clip(neighbour, 0, len(r) - 1)] == labels[:, None])
    average = windows.local_averages(single, same)
    height = windows.heights(average)
    before, after = windows.intervals(r, rate)
    item = examples.Windows(data.Record("made", "made", "made", rate, x, r), r, padded(single), padded(average),
                            height, before, after, y)
    run = lambda inputs: net.probabilities(size, weights, inputs, dtype=torch.float64)
    outcome = measure.examine(item, run)
    some = [2, 4]  # beats
    header = json.loads(model_file.read_text())
    _, found = confidence.inputs_of(outcome, np.arange(len(x)))
    of_wave = regressions_of(header)
    out = {
        "what": "reference values of scripts/train_waves --reference, rounded; NaN is null",
        "weights_sha256": header["weights_sha256"],
        "rate_hz": rate, "recording_uv": decimals(1000 * x, 0), "r": r.astype(int).tolist(),
        "templates": labels.tolist(), "baseline_every": 100,
        "baseline_mv": decimals(windows.baseline(x, rate)[:, ::100]), "beats": some,
        "single_mv": decimals(single[:, some]), "average_mv": decimals(average[:, some]), "height_mv": decimals(height),
        "masks": decimals(outcome.average[:, some]), "fiducials": decimals(outcome.averaged, 4),
        "fused": decimals(decode.fuse(outcome.averaged), 4), "p_evidence": decimals(outcome.evidence),
        "non_conducted_s": decimals(measure.blocked(outcome) / rate),
        "single_levels": decimals(confidence.mask_levels(outcome.single, outcome.averaged)),
        "average_levels": decimals(confidence.mask_levels(outcome.average, outcome.averaged)),
        "confidence_inputs": {name: decimals(found[wave]) for wave, name in enumerate(measure.NAMES)},
        "confidence": decimals(np.stack([of_wave[wave](found[wave]) for wave in found], axis=1)),
    }
    items = ",\n".join(f"{json.dumps(key)}:{wrapped(value)}" for key, value in out.items())
    file.write_text("{\n" + items + "\n}\n")


def decimals(values, number=7):
    """Returns nested lists with numbers rounded to this many decimals, integers without decimals, NaN as None."""
    if isinstance(values, (list, np.ndarray)):
        return [decimals(value, number) for value in values]
    if np.isnan(values):
        return None
    return round(float(values), number) if number else int(round(float(values)))


def wrapped(value, width=119):
    """Returns JSON without spaces: lists of numbers fill lines, other lists have one item a line."""
    text = json.dumps(value, separators=(",", ":"))
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"{json.dumps(key)}:{wrapped(item)}" for key, item in value.items()) + "\n}"
    if not isinstance(value, list) or len(text) <= width and not any(isinstance(item, list) for item in value):
        return text
    if any(isinstance(item, list) for item in value):
        return "[\n" + ",\n".join(wrapped(item) for item in value) + "\n]"
    lines = [""]
    for item in text[1:-1].split(","):
        if len(lines[-1]) + len(item) + 1 > width:
            lines.append("")
        lines[-1] += item + ","
    return "[\n" + "\n".join(lines)[:-1] + "\n]"


def padded(v):
    return np.pad(v, ((0, 0), (0, 0), (examples.NET.start, examples.STORED - examples.NET.stop)), mode="edge")
