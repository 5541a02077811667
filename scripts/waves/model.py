"""The model file: a JSON header that a person can read, and the weights as base64. Reference values for tests."""
import base64
import datetime
import hashlib
import json
from dataclasses import dataclass

import numpy as np
import torch

from waves import data, decode, examples, measure, net, windows

FORMAT, VERSION = "beatscan waves", 1
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
    """Returns nested lists and dicts with numbers of so many significant digits, NaN as None."""
    if isinstance(value, dict):
        return {str(key): rounded(item, digits) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [rounded(item, digits) for item in value]
    if isinstance(value, (float, np.floating)):
        return None if not np.isfinite(value) else float(f"{value:.{digits}g}")
    return int(value) if isinstance(value, np.integer) else value


def text(table, by_record):
    """Returns the figures as lines: value and 95 % interval."""
    lines = []
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


def write(file, size, weights, records, training, table, by_record):
    """Writes the model. training: how it was trained; records: those that it was trained with."""
    flat = net.flat_weights(size, weights)
    count, work = net.count_of(size)
    header = {
        "format": FORMAT, "version": VERSION, "date": datetime.date.today().isoformat(),
        "description": "Masks of P, QRS and T waves in windows around the R-wave apex. docs/waves.md specifies it.",
        "input": INPUT, "size": list(size), "layers": [layer_of(layer) for layer in net.layers(size)],
        "output": "out has channels 2 m + h: value 2 j + h of mask m (P, QRS, T) is the sigmoid of value j",
        "decoding": decode.CONSTANTS, "weights_number": count, "multiply_adds": work,
        "training": training, "sets": sets_of(records), "cite_with_all": data.PHYSIONET,
        "out_of_fold": {"what": "value, and 95 % interval of a bootstrap over records; ms, %, AUROC",
                        "tables": table, "counts_by_record": by_record},
        "weights_order": "layer after layer: w [out][in][kernel], then b [out]; float32, little endian, base64",
        "weights_sha256": hashlib.sha256(flat.tobytes()).hexdigest(),
        "weights": base64.b64encode(flat.tobytes()).decode(),
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(lines_of(rounded(header)) + "\n")


def lines_of(value, indent=0, width=116):
    """Returns JSON with what fits on one line there."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= width or not isinstance(value, (dict, list)):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        items = [f"{inner}{json.dumps(key)}: {lines_of(item, indent + 2)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(inner + lines_of(item, indent + 2) for item in value) + "\n" + " " * indent + "]"


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
    """Returns a made-up recording [leads, samples] and its R peaks: seven beats, one premature and one P wave alone."""
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
    """Writes a made-up recording and what each stage makes of it, by float64 arithmetic, for tests of the C++ stage."""
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
    mark = windows.marks(windows.R_INDEX - before, np.full(len(r), windows.R_INDEX), windows.R_INDEX + after)
    some = [2, 4]  # beats
    inputs = windows.net_input(average, height, mark)[:, some]
    out = {
        "what": "reference values of the wave delineation; scripts/train_waves --reference writes them",
        "weights_sha256": json.loads(model_file.read_text())["weights_sha256"],
        "rate_hz": rate, "recording_mv": x, "r": r.astype(int), "templates": labels,
        "baseline_mv": {"every": 100, "values": windows.baseline(x, rate)[:, ::100]},
        "beats": some, "single_mv": single[:, some], "average_mv": average[:, some], "height_mv": height,
        "input": inputs, "masks_float32": net.probabilities(size, weights, inputs),
        "masks_float64": net.probabilities(size, weights, inputs, dtype=torch.float64),
        "fiducial_names": decode.FIDUCIALS, "fiducials": outcome.averaged, "fused": decode.fuse(outcome.averaged),
        "p_evidence": outcome.evidence, "non_conducted_s": measure.blocked(outcome) / rate,
    }
    file.write_text(lines_of(rounded(out, 7)) + "\n")


def padded(v):
    return np.pad(v, ((0, 0), (0, 0), (examples.NET.start, examples.STORED - examples.NET.stop)), mode="edge")
