"""Reads the annotated training records of the net, and folds by patient."""
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

LEADS = ("i", "ii", "iii", "avr", "avl", "avf", "v1", "v2", "v3", "v4", "v5", "v6")  # annotators of LUDB
BEATS = frozenset("NLRBejAaJSVEF/fQnr?")
P, QRS, T = 0, 1, 2
WAVE_OF = {"p": P, "t": T, **{symbol: QRS for symbol in BEATS}}
SETS = {
    "ludb": ("Lobachevsky University Electrocardiography Database 1.0.1", "ODC-By 1.0",
             "Kalyakulina AI, Yusipov II, Moskalenko VA, Nikolskiy AV, Kosonogov KA, Osipov GV, Zolotykh NY, "
             "Ivanchenko MV, LUDB: a new open-access validation tool for electrocardiogram delineation algorithms, "
             "IEEE Access 8:186181-186190, 2020"),
    "qtdb": ("QT Database 1.0.0", "ODC-By 1.0",
             "Laguna P, Mark RG, Goldberger AL, Moody GB, A database for evaluation of algorithms for measurement of "
             "QT and other waveform intervals in the ECG, Computers in Cardiology 24:673-676, 1997"),
    "pwave": ("MIT-BIH Arrhythmia Database P-Wave Annotations 1.0.0, and the MIT-BIH Arrhythmia Database 1.0.0",
              "ODC-By 1.0",
              "Marsanova L, Nemcova A, Smisek R, Vitek M, Smital L, Advanced P wave detection in ECG signals during "
              "pathology: evaluation in different arrhythmia contexts, Scientific Reports 9:19053, 2019; Moody GB, "
              "Mark RG, The impact of the MIT-BIH Arrhythmia Database, IEEE Eng in Med and Biol 20(3):45-50, 2001"),
    "irhythm": ("test set of Hannun et al.", "for public use, as stated by its authors",
                "Hannun AY, Rajpurkar P, Haghpanahi M, Tison GH, Bourn C, Turakhia MP, Ng AY, Cardiologist-level "
                "arrhythmia detection and classification in ambulatory electrocardiograms using a deep neural network, "
                "Nature Medicine 25:65-69, 2019"),
}
PHYSIONET = ("Goldberger AL et al., PhysioBank, PhysioToolkit, and PhysioNet, Circulation 101(23):e215-e220, 2000")


@dataclass
class Record:
    set: str  # a key of SETS
    name: str
    patient: str
    rate: float  # Hz
    x: np.ndarray  # float32 [leads, samples] in mV, NaN where a sample is missing
    r: np.ndarray  # R peaks in samples
    waves: list = field(default_factory=list)  # by lead [waves, 4]: wave, onset, peak, offset; NaN if not annotated
    p: np.ndarray = None  # P peaks in samples, if all of the record are annotated
    episodes: list = field(default_factory=list)  # (first sample, end, rhythm)
    fold: int = 0


def read_waves(samples, symbols):
    """Returns [waves, 4] from a list of ( p ) ( N ) ( t ); onsets and offsets are optional."""
    rows, onset, row = [], np.nan, None
    for sample, symbol in zip(samples, symbols):
        if symbol == "(":
            onset, row = sample, None
        elif symbol == ")":
            if row is not None:
                row[3] = sample
            onset, row = np.nan, None
        elif symbol in WAVE_OF:
            wave = WAVE_OF[symbol]
            if row is not None and row[0] == wave:
                continue  # the second peak of a biphasic wave
            row = [wave, onset, sample, np.nan]
            rows.append(row)
            onset = np.nan
        else:
            onset, row = np.nan, None  # a U wave
    return np.array(rows, np.float64).reshape(-1, 4)


def beats_of_waves(waves, rate):
    """Returns one R for the QRS peaks of all leads that are within 150 ms: their median."""
    peaks = np.sort(np.concatenate([lead[lead[:, 0] == QRS, 2] for lead in waves]))
    if not len(peaks):
        return peaks
    groups = np.split(peaks, np.flatnonzero(np.diff(peaks) > 0.15 * rate) + 1)
    return np.array([np.median(group) for group in groups if len(group) > len(waves) // 3])


def detected(x, rate):
    """Returns R peaks for records without annotated ones, by the detector of the wfdb package, in the clearest lead."""
    from wfdb.processing import XQRS
    steep = [np.percentile(np.abs(np.diff(row)), 99) / (np.percentile(np.abs(np.diff(row)), 50) + 0.002) for row in x]
    found = XQRS(sig=np.asarray(x[int(np.argmax(steep))], np.float64), fs=rate)
    found.detect(verbose=False)
    return np.asarray(found.qrs_inds, np.float64)


def with_detected(r, x, rate):
    """Adds detected beats before the first and after the last annotated one."""
    more = detected(x, rate)
    if not len(r):
        return more
    return np.sort(np.concatenate([r, more[(more < r[0] - 0.25 * rate) | (more > r[-1] + 0.25 * rate)]]))


def annotation(path, annotator):
    import wfdb
    return wfdb.rdann(str(path), annotator) if path.with_suffix("." + annotator).exists() else None


def labels_of(path):
    file = path.parent / "labels.json"
    return json.loads(file.read_text()).get(path.name, {}) if file.exists() else {}


def signals(path):
    import wfdb
    record = wfdb.rdrecord(str(path))
    return np.nan_to_num(record.p_signal.T, nan=np.nan).astype(np.float32), float(record.fs)


def typed_beats(atr):
    if atr is None:
        return np.zeros(0)
    return np.array([s for s, symbol in zip(atr.sample, atr.symbol) if symbol in BEATS], np.float64)


def read_ludb(path, labels):
    x, rate = signals(path)
    if "waves" in labels:
        waves = [read_waves(*zip(*labels["waves"][lead])) for lead in LEADS]
    else:
        waves = [read_waves(a.sample, a.symbol) for a in (annotation(path, lead) for lead in LEADS)]
    return Record("ludb", path.name, path.name, rate, x, with_detected(beats_of_waves(waves, rate), x, rate), waves)


def read_qtdb(path, labels):
    """Reads the part with q1c annotations and 30 s around it."""
    x, rate = signals(path)
    if "q1c" in labels:
        waves = read_waves(*zip(*labels["q1c"]))
    else:
        q1c = annotation(path, "q1c")
        waves = read_waves(q1c.sample, q1c.symbol)
    r = typed_beats(annotation(path, "atr"))
    first = int(max(0, np.nanmin(waves[:, 1:]) - 30 * rate))
    end = int(min(x.shape[1], np.nanmax(waves[:, 1:]) + 30 * rate))
    x, r = x[:, first:end], r[(r >= first) & (r < end)] - first
    waves[:, 1:] -= first
    if len(r) < 0.8 * (waves[:, 0] == QRS).sum():
        r = with_detected(waves[waves[:, 0] == QRS, 2], x, rate)
    return Record("qtdb", path.name, path.name.removeprefix("sel"), rate, x, r, [waves] * len(x))


def read_pwave(path, file):
    import wfdb
    x, rate = signals(path)
    marks = wfdb.rdann(str(file.with_suffix("")), "pwave")
    p = np.array([s for s, symbol in zip(marks.sample, marks.symbol) if symbol == "p"], np.float64)
    p = p[np.diff(p, prepend=-np.inf) > 0.1 * rate]  # record 119 has duplicates
    return Record("pwave", path.name, path.name, rate, x, typed_beats(annotation(path, "atr")), p=p)


def read_rhythm(path, atr):
    x, rate = signals(path)
    starts = [(int(s), note.strip("\0 (")) for s, symbol, note in zip(atr.sample, atr.symbol, atr.aux_note)
              if symbol == "+"]
    ends = [start for start, _ in starts[1:]] + [x.shape[1]]
    episodes = [(start, end, name) for (start, name), end in zip(starts, ends)]
    return Record("irhythm", path.name, path.name, rate, x, detected(x, rate), episodes=episodes)


def read_record(path, pwaves):
    """Reads one record, or returns None if it has no usable annotations."""
    if path.name in pwaves:
        return read_pwave(path, pwaves[path.name])
    labels = labels_of(path)
    if "waves" in labels or all(path.with_suffix("." + lead).exists() for lead in LEADS):
        return read_ludb(path, labels)
    if "q1c" in labels or path.with_suffix(".q1c").exists():
        return read_qtdb(path, labels)
    atr = annotation(path, "atr")
    if atr is not None and "+" in atr.symbol and not BEATS & set(atr.symbol):
        return read_rhythm(path, atr)
    return None


def read_folders(folders):
    """Reads all records with usable annotations below the folders. The positions of R are moved to its apex."""
    from waves.windows import refine, without_baseline
    pwaves = {file.stem: file for folder in folders for file in sorted(Path(folder).rglob("*.pwave"))}
    paths = sorted({file.with_suffix("") for folder in folders for file in Path(folder).rglob("*.hea")})
    records = [record for record in (read_record(path, pwaves) for path in paths) if record is not None]
    for record in records:
        record.r = refine(without_baseline(record.x, record.rate), record.rate, record.r)
        keep = np.concatenate([[True], np.diff(record.r) > 0.15 * record.rate])
        record.r = record.r[keep]
    return sorted((record for record in records if len(record.r)), key=lambda record: (record.set, record.name))


def read(paths):
    """Reads all records below folders and in files of save()."""
    files = [path for path in paths if path.suffix == ".npz"]
    folders = [path for path in paths if path.suffix != ".npz"]
    return [record for file in files for record in load(file)] + (read_folders(folders) if folders else [])


def save(records, file):
    """Saves records, so that a machine without the wfdb package can train."""
    arrays, heads = {}, []
    for k, record in enumerate(records):
        heads.append({"set": record.set, "name": record.name, "patient": record.patient, "rate": record.rate,
                      "waves": len(record.waves), "p": record.p is not None, "episodes": record.episodes})
        arrays[f"x{k}"], arrays[f"r{k}"] = record.x, record.r
        for lead, waves in enumerate(record.waves):
            arrays[f"w{k}_{lead}"] = waves
        if record.p is not None:
            arrays[f"p{k}"] = record.p
    np.savez_compressed(file, heads=json.dumps(heads), **arrays)


def load(file):
    with np.load(file) as arrays:
        return [Record(head["set"], head["name"], head["patient"], head["rate"], arrays[f"x{k}"], arrays[f"r{k}"],
                       [arrays[f"w{k}_{lead}"] for lead in range(head["waves"])],
                       arrays[f"p{k}"] if head["p"] else None, [tuple(e) for e in head["episodes"]])
                for k, head in enumerate(json.loads(str(arrays["heads"])))]


def assign_folds(records, folds, seed):
    """Gives every patient a fold, evenly within each set."""
    fold_of = {}
    for name in SETS:
        patients = sorted({record.patient for record in records if record.set == name} - set(fold_of))
        for place, k in enumerate(np.random.default_rng(seed).permutation(len(patients))):
            fold_of[patients[k]] = place % folds
    for record in records:
        record.fold = fold_of[record.patient]
