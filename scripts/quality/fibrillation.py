"""Ventricular fibrillation and flutter in blocks of two seconds: examples, forest, chain, and figures.

A block is scored in each lead by a forest over its own features and those of its two neighbours. The score of a
recording is the mean of its leads, weighted by P(good). A Markov chain of two states gives probabilities.
"""
import numpy as np

from evaluation import episodes
from quality import data, examples, features, forest, made

SETS = data.SETS | {
    "cinc2014": ("PhysioNet/Computing in Cardiology Challenge 2014, set-p and set-p2", "ODC-By 1.0",
                 "Moody G, Moody B, Silva I, Robust detection of heart beats in multimodal data: the "
                 "PhysioNet/Computing in Cardiology Challenge 2014, Computing in Cardiology 41:549-552, 2014"),
    "cpsc2021": ("4th China Physiological Signal Challenge 2021", "CC BY 4.0",
                 "Wang X, Ma C, Zhang X, Gao H, Clifford G, Liu C, Paroxysmal atrial fibrillation events detection from "
                 "dynamic ECG recordings: the 4th China Physiological Signal Challenge 2021, PhysioNet, 2021")}
FLUTTER_RECORD = "207"  # of ds1
UNKNOWN, NO, YES = -1, 0, 1
SHORTEST, LONGEST = 3, 30  # blocks of the strips that recordings are cut into, for the fit of the chain
LEAST_GOOD = 1e-12  # keeps the mean of leads that are all bad finite
BEFORE_S = 60  # before the first fibrillation of a record of cudb: where it begins is a matter of opinion
REACH = 1  # blocks before and behind a block
# Features that depend on the rhythm. `fill`, `rail`, `steps` and `mains` depend on the recorder.
COLUMNS = [place for place, name in enumerate(features.NAMES) if name not in ("fill", "rail", "steps", "mains")]
WIDTH = (2 * REACH + 1) * len(features.NAMES)
DEPTH, ROUNDS = 2, 120
OPTIONS = {"learning_rate": 0.15, "min_data_in_leaf": 100, "lambda_l2": 2.0, "feature_fraction": 0.5}
# Weights of the sets without fibrillation; all blocks with it have 1 together. Made things count half.
WEIGHTS = {"ds1": 1, "irhythm": 0.7, "svdb": 0.6, "cudb": 0.6, "tele": 0.4, "qtdb": 0.3, "nstdb": 0.3}
OTHER_WEIGHT, MADE_WEIGHT, RUN_WEIGHT = 0.2, 0.5, 0.6
COPIES, TREMOR_S = 3, 300
THINNED = 4  # of made noise, every fourth row is learned from


def stretches_of(record, path):
    """Returns where fibrillation or flutter is annotated, [(first sample, end)]."""
    import wfdb
    if record.set not in ("cudb", "ds1") or (record.set == "ds1" and record.name != FLUTTER_RECORD):
        return []
    notes, length = wfdb.rdann(str(path), "atr"), record.x.shape[1]
    if record.set == "ds1":
        changes = [(s, text) for s, symbol, text in zip(notes.sample, notes.symbol, notes.aux_note) if symbol == "+"]
        after = [s for s, _ in changes[1:]] + [length]
        return [(s, end) for (s, text), end in zip(changes, after) if text.startswith("(VFL")]
    starts, ends = [], []
    for sample, symbol in zip(notes.sample, notes.symbol):
        if symbol == "[" and len(starts) == len(ends):
            starts.append(sample)
        elif symbol == "]" and len(starts) > len(ends):
            ends.append(sample)
    return list(zip(starts, ends + [length]))


def labels_of(record, stretches):
    """Returns YES, NO or UNKNOWN of each block."""
    share = record.shares(data.between(record.x.shape[1], *zip(*stretches))) if stretches else np.zeros(record.blocks)
    label = np.where(share >= 0.5, YES, np.where(share > 0, UNKNOWN, NO))
    if record.set == "cudb" and stretches:
        middle = record.starts()[:-1] + record.rate
        label[(label == NO) & (middle > stretches[0][0] - BEFORE_S * record.rate)] = UNKNOWN
    return label


def with_noise(record, maker, rng):
    """Returns a copy at another gain and with weak noise, so that neither gain nor recorder decides."""
    x = np.stack([examples.made_whole(lead) for lead in record.x])
    for lead in range(len(x)):
        height = made.height_of(x[lead], record.rate)
        x[lead] = maker.make(str(rng.choice(made.BY_RATIO)), x[lead], height, record.step[lead],
                             int(rng.choice((12, 18, 24))), record.r)[0]
    step = record.step[:, None]
    return np.rint(x * 2 ** rng.uniform(-2, 1) / step) * step


def with_tremor(record, rng):
    """Returns five minutes with tremor of 7 to 12 Hz at -6 to 12 dB."""
    rate = record.rate
    size = min(record.x.shape[1], int(TREMOR_S * rate))
    first = int(rng.integers(record.x.shape[1] - size + 1))
    x = np.stack([examples.made_whole(lead) for lead in record.x[:, first:first + size]])
    for lead in range(len(x)):
        middle, spread = rng.uniform(7, 12), rng.uniform(0.1, 0.4)
        tremor = made.band_noise(rng, size, rate, middle * (1 - spread), middle * (1 + spread))
        tremor *= np.exp(rng.uniform(0, 0.6) * made.wandering(rng, size, rate, 1))
        level = made.height_of(x[lead], rate) / np.sqrt(8) / 10 ** (rng.choice((-6, 0, 6, 12)) / 20)
        x[lead] += tremor / tremor.std() * level
    step = record.step[:, None]
    return np.rint(x / step) * step


def in_context(x):
    """Returns rows [..., blocks, WIDTH] of features [..., blocks, features]."""
    blocks = x.shape[-2]
    return np.concatenate([x[..., np.clip(np.arange(blocks) + d, 0, blocks - 1), :] for d in range(-REACH, REACH + 1)],
                          axis=-1)


def examples_of(record, stretches, motion, seed):
    """Returns {real: features [leads, blocks, features], label: [blocks], x: rows, y: labels, group: of the rows}."""
    rng, label = np.random.default_rng(seed), labels_of(record, stretches)
    rows = []

    def add(x, y, group, every=1):
        y = np.broadcast_to(y, x.shape[:-1])
        known = np.flatnonzero(y.ravel() != UNKNOWN)[::every]
        of = np.where(y.ravel()[known] == YES, f"vf {record.name}", group)
        rows.append((in_context(x).reshape(-1, WIDTH)[known], y.ravel()[known], of))
    real = features.features(record.x, record.rate)
    wide = np.maximum.reduce([record.facts[name] for name in ("vt", "ivr", "fast", "run")]) >= 0.5
    for part, group in ((~wide, record.set), (wide, f"{record.set} run")):
        add(real, np.where(part, label, UNKNOWN), group)
    if stretches:
        maker = made.Maker(rng, record.rate, motion)
        for _ in range(COPIES):
            add(features.features(with_noise(record, maker, rng), record.rate), label, f"{record.set} made")
    elif record.set in (*examples.CLEAN, "tele"):
        maker = examples.Examples(record, motion, seed)
        maker.mixed()
        for _ in range(examples.STRIPS.get(record.set, 0)):
            maker.strip()
        for x, columns in maker.rows:
            leads = len(record.x)
            kind = columns[:, examples.COLUMNS.index("kind")].reshape(leads, -1)
            made_rhythm = np.isin(kind, [examples.KINDS.index(name) for name in ("vf", "vt")])
            add(x.reshape(leads, kind.shape[1], -1), np.where(made_rhythm, UNKNOWN, NO), f"{record.set} made", THINNED)
        if record.set != "tele":
            add(features.features(with_tremor(record, rng), record.rate), NO, f"{record.set} made", THINNED // 2)
    return {"real": real, "label": label, "x": np.concatenate([part[0] for part in rows]),
            "y": np.concatenate([part[1] for part in rows]), "group": np.concatenate([part[2] for part in rows])}


def weights_of(groups):
    """Returns the weight of each row. Fibrillation of a record counts by the square root of its blocks."""
    names, number, count = np.unique(groups, return_inverse=True, return_counts=True)
    total = np.empty(len(names))
    for k, name in enumerate(names):
        first, _, kind = name.partition(" ")
        total[k] = {"made": MADE_WEIGHT, "run": RUN_WEIGHT}.get(kind, 1) * WEIGHTS.get(first, OTHER_WEIGHT)
    vf = np.char.startswith(names.astype(str), "vf ")
    total[vf] = np.sqrt(count[vf])
    total[vf] /= total[vf].sum()
    weight = (total / count)[number]
    return weight / weight.mean()


def train(parts):
    """Trains the forest on the rows of some records."""
    x, y, group = (np.concatenate([part[name] for part in parts]) for name in ("x", "y", "group"))
    asked = np.concatenate([np.array(COLUMNS) + k * len(features.NAMES) for k in range(2 * REACH + 1)])
    trees = forest.train(x[:, asked], y, weights_of(group), 1, DEPTH, ROUNDS, **OPTIONS)
    trees.feature = asked[trees.feature]
    return trees


def scores_of(trees, real):
    """Returns the scores [leads, blocks]."""
    rows = in_context(real)
    return trees.scores(rows.reshape(-1, WIDTH))[:, 0].reshape(rows.shape[:-1])


def fused(values, good, leads=slice(None)):
    """Returns the mean over leads [leads, blocks], weighted by P(good)."""
    return (values[leads] * good[leads]).sum(0) / (good[leads].sum(0) + LEAST_GOOD)


def posteriors(scores, chain):
    """Returns P(fibrillation) of the blocks of some recordings, from their scores."""
    begins, ends, most = chain["begins"], chain["ends"], max(map(len, scores))
    ratio = np.ones((most, len(scores)))
    for k, one in enumerate(scores):
        ratio[:len(one), k] = np.exp(np.clip(chain["scale"] * one + chain["offset"], -30, 30))
    before, p = np.empty(ratio.shape), np.full(len(scores), chain["starts"])
    for b in range(most):
        p = p * (1 - ends) + (1 - p) * begins if b else p
        p = p * ratio[b] / (p * ratio[b] + 1 - p)
        before[b] = p
    out, yes, no = np.empty(ratio.shape), np.ones(len(scores)), np.ones(len(scores))
    for b in range(most - 1, -1, -1):
        out[b] = before[b] * yes / (before[b] * yes + (1 - before[b]) * no)
        with_it = yes * ratio[b]
        yes, no = with_it * (1 - ends) + no * ends, with_it * begins + no * (1 - begins)
        yes, no = yes / (yes + no), no / (yes + no)
    return [out[:len(one), k] for k, one in enumerate(scores)]


def by_length(scores, chain):
    """Returns posteriors() of recordings of any lengths, those of like lengths together."""
    out = [None] * len(scores)
    bucket = np.array([int(np.log2(len(one)) * 2) for one in scores])
    for size in np.unique(bucket):
        places = np.flatnonzero(bucket == size)
        for place, p in zip(places, posteriors([scores[k] for k in places], chain)):
            out[place] = p
    return out


def strips_of(scores, labels, seed):
    """Cuts recordings into strips of 6 to 60 s, the last ones shorter, and returns their scores and labels.

    A strip is what a monitor prints or a patient sends: unlike a long recording it may begin in fibrillation.
    """
    rng, out = np.random.default_rng(seed), ([], [])
    for one, label in zip(scores, labels):
        first = 0
        while first < len(one):
            end = first + int(SHORTEST * (LONGEST / SHORTEST) ** rng.random())
            out[0].append(one[first:end])
            out[1].append(label[first:end])
            first = end
    return out


def weights_in_time(labels):
    """Returns a weight of each block: an episode counts by the square root of its blocks, unknown ones do not."""
    weights = []
    for label in labels:
        edge = np.diff(np.concatenate([[0], (label == YES).astype(int), [0]]))
        weight = (label != UNKNOWN).astype(float)
        for first, end in zip(np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)):
            weight[first:end] = (end - first) ** -0.5
        weights.append(weight)
    label, weight = np.concatenate(labels), np.concatenate(weights)
    weight[label == YES] *= (label == YES).sum() / weight[label == YES].sum()
    return weight


def fit_chain(scores, labels, seed):
    """Fits the chain by maximum likelihood, to recordings and to the strips that they are cut into."""
    from scipy.optimize import minimize
    strips = strips_of(scores, labels, seed)
    scores, labels = [*scores, *strips[0]], [*labels, *strips[1]]
    label, weight = np.concatenate(labels), weights_in_time(labels)

    def chain_of(at):
        p = 1 / (1 + np.exp(-at[2:]))
        return dict(zip(("scale", "offset", "begins", "ends", "starts"), map(float, (*at[:2], *p))))

    def loss(at):
        if at[0] <= 0 or at[2] > -1:
            return 1e9
        p = np.clip(np.concatenate(by_length(scores, chain_of(at))), 1e-9, 1 - 1e-9)
        return -(weight * np.where(label == YES, np.log(p), np.log1p(-p))).sum()
    start = np.array([0.5, 0, -3.5, -1.5, -1.4])
    best = minimize(loss, start, method="Nelder-Mead", options={
        "maxfev": 200, "xatol": 0.02, "fatol": 0.5,
        "initial_simplex": [start, *(start + np.diag([0.25, 0.7, 1.2, 0.8, 1]))]})
    return {name: float(f"{value:.5g}") for name, value in chain_of(best.x).items()}


def episodes_of(p, seconds):
    """Returns the stretches above one half, [(start in s, end in s)]."""
    edge = np.diff(np.concatenate([[0], (p > 0.5).astype(int), [0]]))
    return [(2.0 * first, min(2.0 * end, seconds) if end < len(p) else seconds)
            for first, end in zip(np.flatnonzero(edge == 1), np.flatnonzero(edge == -1))]


def figures_of(found, reference, seconds, left_out=()):
    return episodes.compare(episodes.joined(reference), found, seconds, left_out)


def table_of(figures):
    """Returns {row: numbers} of {row: Figures}."""
    return {name: {"episodes": f.reference, "found": f.found, "reported": f.test, "right": f.right,
                   "reference_s": round(f.reference_s), "found_s": round(f.found_s), "reported_s": round(f.test_s),
                   "false_s": round(f.test_s - f.right_s), "hours": round(f.recording_s / 3600, 2)}
            for name, f in figures.items()}


def reliability(p, label, edges=(0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1)):
    """Returns [from, to, mean probability, share that is fibrillation, blocks] of ranges of probability."""
    out = []
    for low, high in zip(edges[:-1], edges[1:]):
        here = (label != UNKNOWN) & (p >= low) & ((p < high) | (high == 1))
        if here.any():
            out.append([low, high, round(float(p[here].mean()), 3), round(float((label[here] == YES).mean()), 3),
                        int(here.sum())])
    return out
