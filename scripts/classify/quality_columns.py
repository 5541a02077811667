"""Adds the signal quality at each beat to a beat table that the program wrote without it.

A block of two seconds has P(good), P(noise) and P(lost) in each lead (docs/quality.md). A beat has those of the block
with its R peak: of the lead with the largest P(good), and P(good) of the lead with the smallest one.
"""
import numpy as np

NAMES = ("quality_good", "quality_good_worst", "quality_noise", "quality_lost")


def columns(probabilities, starts, peaks):
    """Returns the columns NAMES, [K, 4], of probabilities [leads, blocks, 3] and R peaks in samples."""
    block = np.clip(np.searchsorted(starts, peaks, side="right") - 1, 0, probabilities.shape[1] - 1)
    at = probabilities[:, block]  # [leads, K, 3]
    best = at[at[..., 0].argmax(0), np.arange(len(peaks))]
    return np.stack([best[:, 0], at[..., 0].min(0), best[:, 1], best[:, 2]], 1).astype(np.float32)


def add(record, folder, model_file):
    """Adds the columns to the table of a record. They are kept in its folder."""
    if NAMES[0] in record.names:
        return
    file = folder / "quality.npy"
    if not file.exists():
        from quality import data, features, model, signals
        x, rate, _ = data.read_signals(record.path)
        blocks, calibration, _ = model.read(model_file)
        p = model.probabilities(blocks, calibration, features.features(x, rate))
        np.save(file, columns(p, signals.block_starts(x.shape[1], rate), record.peaks))
    record.names = [*record.names, *NAMES]
    record.table = np.c_[record.table, np.load(file)]
