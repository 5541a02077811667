"""Features of the quality of a lead, one row for each block of two seconds. Signals are in mV.

docs/quality.md has these functions in words. Features are ratios without logarithms, because a tree asks only whether
a value is above a threshold. All lengths are in values of 8 ms unless a name has another unit.
"""
import numpy as np

from quality import signals
from quality.signals import BLOCK, PART, PARTS, RATE

NAMES = ("missing", "flat", "rail", "fill", "steps", "height_mv", "range", "range_near", "high", "muscle",
         "high_muscle", "baseline", "slope", "mains", "rest", "leakage", "neighbour", "template", "hz")
OF_QUALITY = 18  # features that the forest of quality asks for; the others are of fibrillation
FLAT_S = 0.08
RAIL_S = 0.012
LEAST_RUN = 3  # samples
FILL_S = 0.5
FILL_PART = 7  # the eighth smallest of a block's ten parts
NEAR_BLOCKS = 300  # of the local medians: ten minutes
GROUP = 30  # blocks that share local medians
MOST_SILENT = 0.5  # share of missing and flat samples; such a block is excluded from local medians
LEVEL_REACH = 3  # blocks
PEAK_SHARE = 0.38  # of the level
PEAK_REACH = 30
HALF_BEAT = 20
SHIFTS = range(-4, 4)
BEATS_AFTER = 6  # following beats that a beat is compared with
TEMPLATE_RANK = 2  # the third largest correlation
MOST_STEPS = 64.0  # higher values indicate the recorder, not the signal
FLOOR = 0.1  # steps: what is smaller is nothing
LEAST_STEP = 1e-15  # in the unit of the lead: of a constant one
MAINS_HZ = (50.0, 60.0)
FRAME = 2 * BLOCK  # values of 4 s


def local_medians(values, facts):
    """Returns for each block the median over the 300 blocks around its minute; 0 without any.

    NaN is ignored, and so are blocks of which half or more is missing or flat.
    """
    values = np.where(facts["missing"] + facts["flat"] < MOST_SILENT, values, np.nan)
    blocks, out = len(values), np.zeros(len(values))
    for first in range(0, blocks, GROUP):
        start = max(0, min(first - (NEAR_BLOCKS - GROUP) // 2, blocks - NEAR_BLOCKS))
        near = values[start:start + NEAR_BLOCKS]
        near = near[~np.isnan(near)]
        out[first:first + GROUP] = np.median(near) if len(near) else 0
    return out


def smallest(values, rank):
    """Returns the value with this rank, from 0, of the last axis."""
    return np.partition(values, rank, axis=-1)[..., rank]


def sample_facts(x, missing, rate):
    """Returns statistics of blocks at the recording's own rate, {name: [blocks]}.

    A run is a sequence of equal samples within a block; its jumps are those from the sample before it and to the sample
    after it.
    """
    starts = signals.block_starts(len(x), rate)
    blocks = len(starts) - 1
    end = starts[-1]
    block_of = np.repeat(np.arange(blocks), np.diff(starts))
    low, high = np.minimum.reduceat(x[:end], starts[:-1]), np.maximum.reduceat(x[:end], starts[:-1])
    step = np.abs(np.diff(x))  # from sample i to i + 1
    same = (step[:end - 1] == 0) & (block_of[1:] == block_of[:-1])
    edge = np.diff(np.concatenate([[0], same.astype(np.int8), [0]]))
    first, length = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1) - np.flatnonzero(edge == 1) + 1
    of = block_of[first]
    size = np.diff(starts)

    def share(chosen):
        return np.bincount(of[chosen], length[chosen], minlength=blocks) / size
    least = lambda seconds: max(LEAST_RUN, int(np.ceil(seconds * rate)))
    at_end = (x[first] == low[of]) | (x[first] == high[of])
    jump_in = np.where(first > 0, step[np.maximum(first - 1, 0)], 0)
    last = first + length - 1
    jump_out = np.where(last < len(x) - 1, step[np.minimum(last, len(step) - 1)], 0)
    jump = np.zeros(blocks)
    np.maximum.at(jump, of, np.where(length < FILL_S * rate, np.minimum(jump_in, jump_out), 0))
    known = step[:end - 1].copy()
    known[missing[1:end] | missing[:end - 1] | (block_of[1:] != block_of[:-1]) | (known == 0)] = np.inf
    smallest_step = np.minimum.reduceat(np.append(known, np.inf), starts[:-1])
    steep = np.empty(blocks)
    for k in range(blocks):
        changes = step[starts[k]:starts[k + 1] - 1]
        edges = np.arange(PARTS + 1) * len(changes) // PARTS
        steep[k] = np.sort([changes[a:b].max(initial=0) for a, b in zip(edges, edges[1:])])[FILL_PART]
    return {"missing": np.add.reduceat(missing[:end].astype(float), starts[:-1]) / size,
            "flat": share(length >= least(FLAT_S)), "rail": share((length >= least(RAIL_S)) & at_end), "jump": jump,
            "step": np.where(np.isfinite(smallest_step), smallest_step, np.nan), "steep": steep, "range": high - low}


def frames(y):
    """Returns [blocks, 500]: each block with a second on either side, the ends prolonged."""
    padded = np.pad(y, BLOCK // 2, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::BLOCK]


def leakage(wave, floor):
    """Returns of frames the VF-filter leakage, 0 for a sine and near 1 for a spike, and the mean frequency in Hz."""
    v = frames(wave)
    v = v - v.mean(1, keepdims=True)
    change = np.abs(np.diff(v, axis=1)).sum(1)
    lag = np.floor(np.pi * np.abs(v).sum(1) / (change + FRAME * floor) + 0.5)
    lag = np.clip(lag, 1, BLOCK).astype(np.int64)
    out = np.ones(len(v))
    for t in np.unique(lag):
        chosen = lag == t
        a, b = v[chosen][:, t:], v[chosen][:, :-t]
        out[chosen] = np.abs(a + b).sum(1) / ((np.abs(a) + np.abs(b)).sum(1) + FRAME * floor[chosen])
    return out, RATE / (2 * lag)


def hann(length):
    return 0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(length) + 0.5) / length)


def power(v, hz, rate):
    """Returns the power [rows, frequencies] of rows with a Hann window."""
    turns = 2 * np.pi * np.outer(np.arange(v.shape[1]), np.asarray(hz)) / rate
    windowed = v * hann(v.shape[1])
    return (windowed @ np.cos(turns)) ** 2 + (windowed @ np.sin(turns)) ** 2


def levels(envelope):
    """Returns the level of beats in each block: the median of the maxima of seven blocks, less where one is small."""
    top = envelope.reshape(-1, BLOCK).max(1)
    padded = np.pad(top, LEVEL_REACH, mode="edge")
    middle = np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * LEVEL_REACH + 1), axis=1)
    return np.minimum(middle, np.maximum(top, 0.3 * middle))


def beats(bands, level):
    """Returns the block and the position of each beat: maxima of the envelope."""
    e = bands.envelope
    padded = np.pad(e, PEAK_REACH, constant_values=-1)
    around = np.lib.stride_tricks.sliding_window_view(padded, PEAK_REACH)
    before, after = around[:len(e)].max(1), around[PEAK_REACH + 1:].max(1)
    peaks = np.flatnonzero((e > before) & (e >= after) & (e > PEAK_SHARE * np.repeat(level, BLOCK)))
    edge = HALF_BEAT - SHIFTS[0]
    return peaks // BLOCK, np.clip(peaks, edge, len(e) - edge - 1)


def correlations(wave, places, floor):
    """Returns [beats, 6]: the largest correlation over eight shifts with each of the next six beats, -1 without."""
    out = np.full((len(places), BEATS_AFTER), -1.0)
    span = np.arange(-HALF_BEAT, HALF_BEAT + 1)
    def unit(shift):
        rows = wave[places[:, None] + shift + span]
        rows = rows - rows.mean(1, keepdims=True)
        return rows / np.sqrt((rows ** 2).sum(1, keepdims=True) + len(span) * floor[:, None] ** 2)
    middle, shifted = unit(0), [unit(shift) for shift in SHIFTS]
    for lag in range(1, min(BEATS_AFTER, len(places) - 1) + 1):
        out[:-lag, lag - 1] = np.max([(middle[:-lag] * rows[lag:]).sum(1) for rows in shifted], axis=0)
    return out


def similarity(wave, block, places, floor):
    """Returns for the beats in each block and its neighbours the mean similarity with neighbouring and with other
    beats."""
    blocks = len(floor)
    count = np.bincount(block, minlength=blocks).astype(float)
    near = lambda v: np.convolve(v, np.ones(3))[1:-1]
    if len(places) < 2:
        return np.zeros(blocks), np.zeros(blocks)
    after = correlations(wave, places, floor[block])
    before = np.full_like(after, -1.0)
    for lag in range(1, BEATS_AFTER + 1):
        before[lag:, lag - 1] = after[:-lag, lag - 1]
    neighbour = np.maximum(after[:, 0], before[:, 0])
    every = np.sort(np.concatenate([after, before], axis=1), axis=1)[:, ::-1]
    known = (every > -1).sum(1)
    template = every[np.arange(len(places)), np.minimum(TEMPLATE_RANK, known - 1)]
    mean = lambda v: near(np.bincount(block, v, minlength=blocks)) / np.maximum(near(count), 1)
    return mean(neighbour), mean(template)


def lead_features(x, rate):
    """Returns the features [blocks, len(NAMES)] of one lead, x [N] in mV with NaN where a sample is missing."""
    x, missing = signals.bridged(np.asarray(x, np.float32).astype(np.float64))
    x = x - x[0]  # constant signals become 0
    facts = sample_facts(x, missing, rate)
    blocks = len(facts["range"])
    bands = signals.bands(signals.sampled(x, rate, blocks * BLOCK))
    by_block = lambda v: v.reshape(blocks, BLOCK)
    height = np.ptp(by_block(bands.wave), axis=1)
    usual = local_medians(height, facts)
    step = np.maximum(np.maximum(local_medians(facts["step"], facts), usual / 1000), LEAST_STEP)
    floor = FLOOR * step
    usual = np.maximum(usual, 2 * step)
    present = np.maximum(np.minimum(usual, height), 2 * step)  # the reference height for noise
    parts = lambda v: np.abs(signals.by_part(v)).mean(2)
    root = lambda v: np.sqrt((by_block(v) ** 2).mean(1))
    rise = np.abs(np.diff(bands.wave, prepend=bands.wave[0])).reshape(blocks, BLOCK).max(1)
    level = np.maximum(levels(bands.envelope), floor)
    near = np.pad(height, LEVEL_REACH, mode="edge")
    near = np.median(np.lib.stride_tricks.sliding_window_view(near, 2 * LEVEL_REACH + 1), axis=1)
    high = np.sort(parts(bands.high), axis=1)
    leaks, hz = leakage(bands.wave, floor)
    neighbour, template = similarity(bands.wave, *beats(bands, level), floor)
    found = {
        "missing": facts["missing"], "flat": facts["flat"], "rail": facts["rail"],
        "fill": facts["jump"] / np.maximum(local_medians(facts["steep"], facts), step),
        "steps": np.minimum(facts["range"] / step, MOST_STEPS),
        "height_mv": height, "range": height / usual, "range_near": height / np.maximum(near, 2 * step),
        "high": (high[:, PARTS // 2 - 1] + high[:, PARTS // 2]) / 2 / present,
        "muscle": smallest(parts(bands.muscle), 3) / present,
        "high_muscle": (root(bands.high) + floor) / (root(bands.muscle) + floor),
        "baseline": np.ptp(by_block(bands.baseline), axis=1) / usual,
        "slope": rise / np.maximum(local_medians(rise, facts), 2 * floor),
        "mains": power(by_block(bands.whole), MAINS_HZ, RATE).max(1)
        / ((by_block(bands.wave) ** 2).sum(1) + BLOCK * floor ** 2) / BLOCK,
        "rest": smallest(parts(bands.envelope), 3) / level,
        "leakage": leaks, "neighbour": neighbour, "template": template, "hz": hz}
    return np.stack([found[name] for name in NAMES], axis=1).astype(np.float32)


def features(x, rate):
    """Returns the features [leads, blocks, len(NAMES)] of x [leads, N] in mV."""
    return np.stack([lead_features(lead, rate) for lead in x])
