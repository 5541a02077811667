"""Reads the training records of the signal-quality index: signals, labels of blocks, folds by patient.

A folder's name identifies the set of its records, because each set has its own labels.
"""
import csv
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from quality import signals

BEATS = frozenset("NLRBejAaJSVEF/fQnr?")
VENTRICULAR = frozenset("VE!")
LEAST_RUN = 3  # ventricular beats
PHYSIONET = ("Goldberger AL et al., PhysioBank, PhysioToolkit, and PhysioNet, Circulation 101(23):e215-e220, 2000")
SETS = {
    "ds1": ("MIT-BIH Arrhythmia Database 1.0.0", "ODC-By 1.0",
            "Moody GB, Mark RG, The impact of the MIT-BIH Arrhythmia Database, IEEE Eng in Med and Biol 20(3):45-50, "
            "2001"),
    "svdb": ("MIT-BIH Supraventricular Arrhythmia Database 1.0.0", "ODC-By 1.0",
             "Greenwald SD, Improved detection and classification of arrhythmias in noise-corrupted "
             "electrocardiograms using contextual information, PhD thesis, Harvard-MIT Division of Health Sciences "
             "and Technology, 1990"),
    "qtdb": ("QT Database 1.0.0", "ODC-By 1.0",
             "Laguna P, Mark RG, Goldberger AL, Moody GB, A database for evaluation of algorithms for measurement of "
             "QT and other waveform intervals in the ECG, Computers in Cardiology 24:673-676, 1997"),
    "nstdb": ("MIT-BIH Noise Stress Test Database 1.0.0", "ODC-By 1.0",
              "Moody GB, Muldrow WE, Mark RG, A noise stress test for arrhythmia detectors, Computers in Cardiology "
              "11:381-384, 1984"),
    "cudb": ("CU Ventricular Tachyarrhythmia Database 1.0.0", "ODC-By 1.0",
             "Nolle FM, Badura FK, Catlett JM, Bowser RW, Sketch MH, CREI-GARD, a new concept in computerized "
             "arrhythmia monitoring systems, Computers in Cardiology 13:515-518, 1986"),
    "tele": ("TELE ECG Database, doi 10.7910/DVN/QTG0EP", "CC0 1.0",
             "Khamis H, Weiss R, Xie Y, Chang C-W, Lovell NH, Redmond SJ, QRS detection algorithm for telehealth "
             "electrocardiogram recordings, IEEE Trans Biomed Eng 63(7):1377-1388, 2016"),
    "irhythm": ("test set of Hannun et al.", "for public use, as stated by its authors",
                "Hannun AY, Rajpurkar P, Haghpanahi M, Tison GH, Bourn C, Turakhia MP, Ng AY, Cardiologist-level "
                "arrhythmia detection and classification in ambulatory electrocardiograms using a deep neural network, "
                "Nature Medicine 25:65-69, 2019"),
    "ludb": ("Lobachevsky University Electrocardiography Database 1.0.1", "ODC-By 1.0",
             "Kalyakulina AI, Yusipov II, Moskalenko VA, Nikolskiy AV, Kosonogov KA, Osipov GV, Zolotykh NY, "
             "Ivanchenko MV, LUDB: a new open-access validation tool for electrocardiogram delineation algorithms, "
             "IEEE Access 8:186181-186190, 2020"),
    "twelve": ("PhysioNet/Computing in Cardiology Challenges 2020 and 2021", "CC BY 4.0",
               "Reyna MA et al., Will two do? Varying dimensions in electrocardiography: the PhysioNet/Computing in "
               "Cardiology Challenge 2021, Computing in Cardiology 48, 2021"),
    "cinc2011": ("PhysioNet/Computing in Cardiology Challenge 2011, set-a", "ODC-By 1.0",
                 "Silva I, Moody GB, Celi L, Improving the quality of ECGs collected using mobile phones: the "
                 "PhysioNet/Computing in Cardiology Challenge 2011, Computing in Cardiology 38:273-276, 2011"),
}
# Shares of a block, except beats and lead_noise: VF, VT, idioventricular, SVT or flutter, artifact marked by a reader
# or a program, runs of ventricular beats, single ventricular beats.
FACTS = ("vf", "vt", "ivr", "fast", "artifact", "run", "ventricular", "beats")


@dataclass
class Record:
    set: str  # a key of SETS
    name: str
    rate: float  # Hz
    x: np.ndarray  # float64 [leads, samples] in mV, NaN where a sample is missing
    step: np.ndarray  # [leads] mV of an ADC step
    r: np.ndarray  # annotated beats in samples
    facts: dict = field(default_factory=dict)  # {name of FACTS: [blocks]}
    lead_noise: np.ndarray = None  # [leads, blocks] share annotated as noise
    acceptable: bool = None  # acceptability of the whole recording, if annotated
    fold: int = 0

    @property
    def blocks(self):
        return signals.block_count(self.x.shape[1], self.rate)

    def starts(self):
        return signals.block_starts(self.x.shape[1], self.rate)

    def shares(self, mask):
        """Returns the share [..., blocks] of samples in a mask [..., samples]."""
        starts = self.starts()
        return np.add.reduceat(mask[..., :starts[-1]].astype(float), starts[:-1], axis=-1) / np.diff(starts)


def read_signals(path):
    """Returns x, rate, and the ADC step of each lead. A gain of 0 means 200 steps a mV."""
    import wfdb
    record = wfdb.rdrecord(str(path), physical=False)
    gain = np.array(record.adc_gain, float)
    gain[gain == 0] = 200
    x = record.d_signal.T.astype(float)
    lost = x == np.where(np.isin(record.fmt, ("212",)), -2048, -32768)[:, None]
    x = (x - np.array(record.baseline, float)[:, None]) / gain[:, None]
    x[lost] = np.nan
    return x, float(record.fs), 1 / np.abs(gain)


def noise_mask(notes, shape):
    """Returns where `~` annotations mark a lead as noisy: bits 0 and 1 of the subtype, or 4 and 5 for unreadable
    leads."""
    mask = np.zeros(shape, bool)
    changes = [(s, subtype) for s, symbol, subtype in zip(notes.sample, notes.symbol, notes.subtype) if symbol == "~"]
    for k, (start, subtype) in enumerate(changes):
        end = changes[k + 1][0] if k + 1 < len(changes) else shape[1]
        for lead in range(shape[0]):
            mask[lead, start:end] = subtype == -1 or bool((subtype >> lead | subtype >> (lead + 4)) & 1)
    return mask


def between(length, starts, ends):
    mask = np.zeros(length)
    for start, end in zip(starts, ends):
        mask[max(int(start), 0):int(end)] = 1
    return mask


def runs_of(samples, ventricular, length):
    """Returns a mask of the runs of three or more ventricular beats, from the first to the last beat."""
    mask = np.zeros(length)
    edge = np.diff(np.concatenate([[0], ventricular.astype(np.int8), [0]]))
    for first, end in zip(np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)):
        if end - first >= LEAST_RUN:
            mask[samples[first]:samples[end - 1]] = 1
    return mask


def add_beats(record, notes):
    """Adds annotated beats, runs, noise and ventricular fibrillation."""
    samples, symbols = np.asarray(notes.sample), np.array(notes.symbol)
    length = record.x.shape[1]
    beat = np.isin(symbols, list(BEATS | {"!"})) & (samples < length)
    ventricular = np.isin(symbols[beat], list(VENTRICULAR))
    record.r = samples[beat]
    block = np.minimum(np.searchsorted(record.starts(), record.r, side="right") - 1, record.blocks - 1)
    count = np.bincount(block, minlength=record.blocks)
    record.facts["beats"] = count.astype(float)
    record.facts["ventricular"] = np.bincount(block, ventricular, minlength=record.blocks) / np.maximum(count, 1)
    record.facts["run"] = record.shares(runs_of(record.r, ventricular, length))
    record.lead_noise = record.shares(noise_mask(notes, record.x.shape))


def add_fibrillation(record, notes):
    """Adds ventricular fibrillation between [ and ], and rhythm changes to VT or VF."""
    length, starts, ends = record.x.shape[1], [], []
    for sample, symbol in zip(notes.sample, notes.symbol):
        if symbol == "[" and len(starts) == len(ends):
            starts.append(sample)
        elif symbol == "]" and len(starts) > len(ends):
            ends.append(sample)
    record.facts["vf"] = record.shares(between(length, starts, ends + [length]))
    changes = [(s, "VT" in note or "VF" in note)
               for s, symbol, note in zip(notes.sample, notes.symbol, notes.aux_note) if symbol == "+"]
    after = [s for s, _ in changes[1:]] + [length]
    record.facts["vt"] = record.shares(between(length, *zip(*[(s, e) for (s, vt), e in zip(changes, after) if vt]))
                                       if any(vt for _, vt in changes) else np.zeros(length))


def add_mask(record, file):
    """Adds artifacts of TELE: 1 if marked by a reader, 0.4 if marked only by a program."""
    mask = np.zeros(record.x.shape[1])
    with open(file) as lines:
        for row in csv.DictReader(lines):
            part = slice(int(row["start"]), int(row["end"]))
            mask[part] = np.maximum(mask[part], 1 if row["kind"] == "visual" else 0.4)
    record.facts["artifact"] = record.shares(mask)


def add_episodes(record, episodes):
    names = {"NOISE": "artifact", "VT": "vt", "IVR": "ivr", "SVT": "fast", "AFL": "fast"}
    for fact in sorted(set(names.values())):
        chosen = [(start - 1, end or record.x.shape[1]) for start, end, name in episodes if names.get(name) == fact]
        record.facts[fact] = record.shares(between(record.x.shape[1], *zip(*chosen)) if chosen
                                           else np.zeros(record.x.shape[1]))


def read_record(path, of_set, labels):
    import wfdb
    x, rate, step = read_signals(path)
    record = Record(of_set, path.name, rate, x, step, np.zeros(0))
    record.facts = {name: np.zeros(record.blocks) for name in FACTS}
    record.lead_noise = np.zeros((len(x), record.blocks))
    if of_set in ("ds1", "svdb", "qtdb", "cudb") and path.with_suffix(".atr").exists():
        notes = wfdb.rdann(str(path), "atr")
        add_beats(record, notes)
        if of_set == "cudb":
            add_fibrillation(record, notes)
    elif of_set == "tele":
        add_mask(record, path.with_suffix(".mask.csv"))
    elif of_set == "irhythm":
        add_episodes(record, labels[path.name]["episodes"])
    elif of_set == "cinc2011":
        said = labels[path.name]["labels"][0]
        record.acceptable = said == "acceptable" if said in ("acceptable", "unacceptable") else None
    return record


def read_folders(folders):
    """Reads all records in folders named like sets, in the order of sets and names."""
    records = []
    for folder in sorted(folders, key=lambda folder: list(SETS).index(folder.name)):
        labels = folder / "labels.json"
        labels = json.loads(labels.read_text()) if labels.exists() else {}
        for head in sorted(folder.glob("*.hea")):
            records.append(read_record(head.with_suffix(""), folder.name, labels))
    return records


def electrode_motion(nstdb, ds1, folds):
    """Returns electrode-motion noise [2, samples] at 360 Hz for each fold: 118e_6 less 118, its noisy stretches."""
    noisy, rate, _ = read_signals(Path(nstdb) / "118e_6")
    clean, _, _ = read_signals(Path(ds1) / "118")
    length = min(noisy.shape[1], clean.shape[1])
    noise = noisy[:, :length] - clean[:, :length]
    noise -= np.median(noise[:, :int(280 * rate)], axis=1, keepdims=True)
    stretches = [noise[:, int((start + 2) * rate):int((start + 118) * rate)]
                 for start in range(300, int(length / rate) - 119, 240)]
    return [np.concatenate(stretches[fold::folds] or [stretches[fold % len(stretches)]], axis=1)
            for fold in range(folds)]


def assign_folds(records, folds, seed):
    """Gives every record a fold, evenly within each set."""
    for name in SETS:
        chosen = [record for record in records if record.set == name]
        for place, k in enumerate(np.random.default_rng(seed).permutation(len(chosen))):
            chosen[k].fold = place % folds
