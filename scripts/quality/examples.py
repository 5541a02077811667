"""Blocks with features and labels: of records as they are, and of records with synthetic noise."""
import numpy as np

from quality import data, features, made
from quality.made import GOOD, NOISE, UNKNOWN

REAL, MIXED, STRIP = 0, 1, 2  # how a block was generated; MIXED: a part of a whole record
KINDS = ("clean", *made.CHANCES)
STRIPS = {"ds1": 26, "svdb": 26, "qtdb": 13}  # strips of a record
LEAST_BLOCKS, MOST_BLOCKS = 3, 15  # of a segment with one type of noise
CLEAN = ("ds1", "svdb", "qtdb", "ludb", "twelve")  # sets whose blocks are good unless annotated as noise
COLUMNS = ("label", "kind", "mode", "lead", "block", "ratio", "lead_noise", *data.FACTS)


def labels_of(record):
    """Returns the labels [leads, blocks] of a record as it is."""
    facts, shape = record.facts, (len(record.x), record.blocks)
    if record.set in ("tele", "irhythm"):
        bad = facts["artifact"] >= (0.7 if record.set == "tele" else 0.9)
        label = np.where(bad, NOISE, np.where(facts["artifact"] == 0, GOOD, UNKNOWN))
    elif record.set == "cudb":
        rhythm = np.maximum(facts["vf"], facts["vt"])
        label = np.where(rhythm >= 0.9, GOOD, np.where((facts["beats"] == 0) | (facts["vf"] > 0), UNKNOWN, GOOD))
    else:
        label = np.full(shape[1], GOOD if record.set in CLEAN else UNKNOWN)
    label = np.broadcast_to(label, shape).copy()
    label[record.lead_noise > 0] = UNKNOWN
    return label


class Examples:
    """Makes the rows of one record: features [rows, features] and COLUMNS."""

    def __init__(self, record, motion, seed):
        self.record, self.rng, self.rows = record, np.random.default_rng(seed), []
        self.x = np.stack([made_whole(lead) for lead in record.x])
        self.heights = [made.height_of(lead, record.rate) for lead in self.x]
        self.maker = made.Maker(self.rng, record.rate, motion)
        self.labels, self.starts = labels_of(record), record.starts()

    def add(self, x, label, kind, ratio, mode, first=0):
        found = features.features(x, self.record.rate)
        leads, blocks, _ = found.shape
        part = slice(first, first + blocks)
        row = {"label": label[:, :blocks], "kind": kind[:, :blocks], "ratio": ratio[:, :blocks], "mode": mode,
               "lead": np.arange(leads)[:, None], "block": np.arange(first, first + blocks),
               "lead_noise": self.record.lead_noise[:, part],
               **{name: fact[part] for name, fact in self.record.facts.items()}}
        self.rows.append((found.reshape(leads * blocks, -1), np.stack(
            [np.broadcast_to(row[name], (leads, blocks)).ravel().astype(np.float32) for name in COLUMNS], axis=1)))

    def real(self):
        shape = self.labels.shape
        self.add(self.record.x, self.labels, np.zeros(shape), np.full(shape, np.inf), REAL)

    def change(self, x, label, kind, ratio, first, end, offset, scale=1.0):
        """Changes the blocks first .. end - 1 of some leads of x, which begins with the block `offset`."""
        rng, record = self.rng, self.record
        name = rng.choice(list(made.CHANCES), p=list(made.CHANCES.values()))
        ratio_db = int(rng.choice(made.RATIOS_DB))
        samples = slice(self.starts[first] - self.starts[offset], self.starts[end] - self.starts[offset])
        chosen = range(len(x))
        if name not in ("vf", "vt") and rng.random() < 0.45:
            chosen = sorted(rng.choice(len(x), int(rng.integers(1, max(2, len(x)))), replace=False))
        r = record.r[(record.r >= self.starts[first]) & (record.r < self.starts[end])] - self.starts[first]
        for lead in chosen:
            x[lead, samples], said, around = self.maker.make(
                name, x[lead, samples], self.heights[lead], record.step[lead] / scale, ratio_db, r)
            part = (lead, slice(first - offset, end - offset))
            kind[part] = KINDS.index(name)
            if name in made.BY_RATIO:
                sizes = np.diff(self.starts[first:end + 1])
                ratio[part] = np.add.reduceat(around, self.starts[first:end] - self.starts[first]) / sizes
                label[part] = np.where(label[part] == GOOD, GOOD, UNKNOWN)
            elif said == GOOD and name not in ("vf", "vt"):
                continue  # unchanged
            else:
                label[part] = said

    def quantised(self, x, scale=1.0):
        step = self.record.step[:, None]
        return np.rint(x * scale / step) * step

    def empty(self, blocks):
        shape = (len(self.x), blocks)
        return np.zeros(shape), np.full(shape, np.inf)

    def mixed(self):
        """The whole record, with some segments changed."""
        x, label = self.x.copy(), self.labels.copy()
        blocks, first = self.record.blocks, 0
        kind, ratio = self.empty(blocks)
        while first < blocks:
            end = min(blocks, first + int(self.rng.integers(LEAST_BLOCKS, MOST_BLOCKS + 1)))
            if blocks <= LEAST_BLOCKS * 2:
                end = blocks
            if self.rng.random() < 0.55:
                self.change(x, label, kind, ratio, first, end, 0)
            first = end
        self.add(self.quantised(x), label, kind, ratio, MIXED)

    def strip(self):
        """A strip of 10 to 30 s with one type of change, at any gain."""
        size = min(int(self.rng.integers(5, MOST_BLOCKS + 1)), self.record.blocks)
        first = int(self.rng.integers(0, self.record.blocks - size + 1))
        scale = 2 ** self.rng.uniform(-1.5, 1)
        x = self.x[:, self.starts[first]:self.starts[first + size]].copy()
        label = self.labels[:, first:first + size].copy()
        kind, ratio = self.empty(size)
        if self.rng.random() < 0.62:
            self.change(x, label, kind, ratio, first, first + size, first, scale)
        self.add(self.quantised(x, scale), label, kind, ratio, STRIP, first)

    def all(self):
        self.real()
        if self.record.set != "cinc2011":
            self.mixed()
            for _ in range(STRIPS.get(self.record.set, 0)):
                self.strip()
        return tuple(np.concatenate(part) for part in zip(*self.rows))


def made_whole(lead):
    """Returns a lead with missing samples interpolated by straight lines."""
    here = np.flatnonzero(np.isfinite(lead))
    return np.interp(np.arange(len(lead)), here, lead[here]) if len(here) else np.zeros(len(lead))


def examples_of(record, motion, seed):
    """Returns features [rows, features] and COLUMNS [rows, columns]. `motion` is that of the record's fold."""
    return Examples(record, motion, seed).all()
