"""The recordings of the golden results: their content, and the program's arguments.

A description states what was drawn. If the program at present detects other episodes, the description lists them after
"Detected:". Golden results hold the program's behaviour, not the truth; golden/drawn.py counts how the beats differ.
"""
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from golden import record_files
from golden.synthetic_ecg import (Clip, Flat, Mains, Missing, Motion, Muscle, Pops, Run, VentricularFibrillation, disturb,
                                  draw_leads, timeline)

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Recording:
    name: str
    description: str
    rate_hz: int
    duration_s: float
    rhythm: tuple  # of Run and VentricularFibrillation
    leads: tuple = ("II",)
    disturbances: tuple = ()
    gains: dict = field(default_factory=dict)  # factors for the amplitudes of waves, such as {"P": 2}
    spike_mv: float = 0.0  # height of pacing spikes
    second_rhythm: tuple = ()  # continues concurrently, as P waves in a complete heart block
    form: str = "wfdb"  # or csv, with a time column; heartbeats, CSV with only that column; beats, without a signal
    start: str = ""  # time of day in the header
    arguments: tuple = ()  # of the program

    @property
    def command(self):
        return "rhythm" if self.form == "beats" else "run"


@dataclass(frozen=True)
class StoredRecording:
    """A recording of data/ with its reference annotations."""
    name: str
    description: str
    rate_hz: int
    file: str
    arguments: tuple
    command: str = "run"


# Parts of rhythms ----------------------------------------------------------------------------------------------------

def sinus(seconds, bpm=72, shape="N"):
    return (Run(shape, 60 / bpm, seconds=seconds, variation=0.012, breathing=0.03),)


def premature(shape, count=1, bpm=72, coupling=0.60, rr_s=0.42, pause=1.40):
    """Returns `count` premature beats, and the sinus beat after the compensatory pause."""
    usual_s = 60 / bpm
    return (Run(shape, rr_s, count=count, first_s=coupling * usual_s),
            Run("N", usual_s, count=1, first_s=pause * usual_s))


def premature_atrial(count=1, coupling=0.62, pause=1.05):
    return premature("A", count, coupling=coupling, rr_s=0.5, pause=pause)


def atrial_trigeminy(count, coupling, usual_s=60 / 72):
    """Returns `count` times two sinus beats and an atrial one. Two thirds of the intervals are longer or shorter."""
    return count * tuple(Run(shape, usual_s * ratio, count=1, variation=0.004)
                         for shape, ratio in (("N", 1), ("A", coupling), ("N", 1.2)))


def atrial_fibrillation(seconds, bpm=95):
    return (Run("J", 60 / bpm, seconds=seconds, variation=0.22, fibrillating=True),)


def atrial_run(count, bpm):
    """Returns a supraventricular tachycardia with abrupt onset and end."""
    return (Run("A", 60 / bpm, count=count, variation=0.008), Run("N", 0.83, count=1, first_s=1.05))


def paced(seconds, shape="B", rr_s=0.9):
    return (Run(shape, rr_s, seconds=seconds, variation=0.001),)


def asystole(seconds, p_wave_rr_s=0.0):
    """Returns `seconds` without a QRS complex and the sinus beat that ends it. With `p_wave_rr_s`, P waves continue."""
    count = int(seconds / p_wave_rr_s) if p_wave_rr_s else 0
    p_waves = (Run("P", p_wave_rr_s, count=count),) if count else ()
    return (*p_waves, Run("N", 0.83, count=1, first_s=seconds - count * p_wave_rr_s))


# The recordings ------------------------------------------------------------------------------------------------------

RECORDINGS = (
    StoredRecording(
        "mitdb_205", "data/mitdb_205.csv, 30 minutes of the MIT-BIH Arrhythmia Database, and its reference annotations",
        360, "data/mitdb_205.csv", ("--rate", "360", "--truth", "data/mitdb_205.truth.csv")),
    Recording(
        "ectopic_beats", "Ventricular beats of two shapes, a couplet, bigeminy, atrial beats, a fusion beat",
        360, 180,
        sinus(25) + premature("V") + sinus(12) + premature_atrial() + sinus(14) + premature("V", 2) + sinus(10)
        + premature("W") + sinus(8) + premature_atrial(coupling=0.68, pause=1.0) + sinus(9) + 6 * premature("V")
        + sinus(12) + premature_atrial(2, coupling=0.6, pause=1.0) + sinus(8) + (Run("F", 0.83, count=1, first_s=0.80),)
        + sinus(60)),
    Recording(
        "atrial_trigeminy", "Atrial trigeminy: beats at 83 % of the reference RR, then at 85.5 %, on either side of "
        "the first limit, findings.s_first_local. Detected: of the second part only the beats near the first one",
        250, 250, sinus(6) + atrial_trigeminy(40, 0.83) + atrial_trigeminy(60, 0.855) + sinus(10)),
    Recording(
        "noise", "Muscle noise, motion, electrode pops, mains, clipping, then noise with motion; six ventricular beats",
        250, 200,
        sinus(20) + premature("V") + sinus(28) + premature("V") + sinus(23) + premature("V") + sinus(18)
        + premature("V") + sinus(16) + premature("V") + sinus(22) + premature("V") + sinus(90),
        disturbances=(Muscle(28, 42, 0.30), Motion(55, 69, 0.35), Pops(82, 94, 2.0, 3.1), Mains(104, 112, 0.25),
                      Clip(120, 132, 1.7), Muscle(150, 158, 0.90), Motion(150, 158, 1.2))),
    Recording(
        "movement", "Motion artifacts in one minute of four; three ventricular beats elsewhere. "
        "Detected: bigeminy, couplets, IVR",
        250, 240,
        sinus(40) + premature("V") + sinus(30) + premature("V") + sinus(110) + premature("V") + sinus(70),
        disturbances=(Motion(90, 150, 0.5),)),
    Recording(
        "three_leads", "Three leads: noise throughout the second, motion in the third from 60 s on; six ectopic beats",
        360, 120,
        sinus(12) + premature("V") + sinus(20) + premature("V") + sinus(24) + premature("V", 2) + sinus(16)
        + premature_atrial() + sinus(12) + premature("V") + sinus(60), leads=("II", "V1", "V5"),
        disturbances=(Muscle(0, 120, 0.8, (1,)), Motion(0, 120, 0.8, (1,)), Motion(60, 120, 0.5, (2,)))),
    Recording(
        "twelve_leads", "Twelve leads of 30 s with two ventricular beats and an atrial one",
        500, 30,
        sinus(7) + premature("V") + sinus(6) + premature_atrial() + sinus(5) + premature("V") + sinus(30),
        leads=("I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6")),
    Recording(
        "gaps", "Missing samples in one of two leads, in both, and for 12 ms, which is bridged; a time of day",
        250, 120,
        sinus(20) + premature("V") + sinus(30) + premature("V") + sinus(90), leads=("II", "V5"), start="22:15:00",
        disturbances=(Missing(25, 31, (0,)), Missing(40, 43), Missing(60, 60.012), Missing(75, 80, (1,)),
                      Missing(95.2, 95.5), Missing(110, 114, (0,)), Missing(112, 116, (1,)))),
    Recording(
        "lead_off", "Two leads: the first is off from 30 to 70 s, the second one from 66 to 71 s. "
        "Detected: no episode where both are off",
        250, 120,
        sinus(22) + premature("V") + sinus(26) + premature("V") + sinus(16) + premature("V") + sinus(70),
        leads=("II", "V5"), disturbances=(Flat(30, 70, 1.8, (0,)), Flat(66, 71, -0.9, (1,)))),
    Recording(
        "atrial_fibrillation", "Atrial fibrillation of two minutes between sinus rhythm. "
        "Detected: also an SVT at its start",
        250, 240, sinus(60) + atrial_fibrillation(120) + sinus(70)),
    Recording(
        "af_strip_30_s", "A strip of 30 s in atrial fibrillation at 300 Hz, lead I, as from a hand-held device",
        300, 30, atrial_fibrillation(40, 105), leads=("I",), disturbances=(Muscle(0, 30, 0.02),)),
    Recording(
        "supraventricular_runs", "Supraventricular tachycardia: runs of 4, 9 and 35 beats at 150 to 170 a minute",
        128, 150,
        sinus(30) + atrial_run(4, 150) + sinus(20) + atrial_run(9, 155) + sinus(22) + atrial_run(35, 170) + sinus(90),
        leads=("I", "V5")),
    Recording(
        "ventricular_tachycardia", "Ventricular tachycardia: runs of 3, 4, 7 and 55 beats, and a slow run of 8",
        360, 170,
        sinus(20) + premature("V", 4, rr_s=0.36) + sinus(16) + premature("V", 7, rr_s=0.40) + sinus(15)
        + premature("V", 8, coupling=0.95, rr_s=0.75, pause=1.2) + sinus(14) + premature("V", 55, rr_s=0.36) + sinus(12)
        + premature("V", 3, rr_s=0.45) + sinus(60), leads=("II", "V1")),
    Recording(
        "ventricular_fibrillation", "Ventricular fibrillation of 20 s between sinus rhythm",
        250, 120, sinus(50) + premature("V") + (VentricularFibrillation(20),) + sinus(60)),
    Recording(
        "bundle_branch_block", "40 beats with a wide QRS complex, on time and after P waves. "
        "Detected: IVR",
        360, 150, sinus(55, 80) + (Run("L", 60 / 82, count=40, variation=0.01, breathing=0.02),) + sinus(90, 80)),
    Recording(
        "pauses", "Pauses of 2.6 and 3.2 s, asystole of 6 s, 9 s with only P waves, then bradycardia of 44 a minute",
        200, 210,
        sinus(25) + asystole(2.6) + sinus(15) + asystole(3.2) + sinus(15) + asystole(6) + sinus(18)
        + asystole(9, 0.8) + sinus(20) + sinus(55, 44) + sinus(60), start="06:30:00"),
    Recording(
        "second_degree_block", "Of each 8 P waves the last has no QRS complex; P waves are tall and R peaks small. "
        "Detected: no episode",
        250, 180, 30 * (Run("N", 0.95, count=7, variation=0.01), Run("P", 0.95, count=1)), gains={"P": 1.8, "R": 0.5}),
    Recording(
        "complete_block", "A ventricular escape beat each 4 s, and independent P waves at 75 a minute. "
        "Detected: a pause in each interval",
        250, 180, (Run("W", 4.0, count=50, variation=0.015),),
        second_rhythm=(Run("P", 0.8, count=240, variation=0.02),)),
    Recording(
        "paced", "Ventricular pacing with spikes of 2 ms, sinus rhythm for 40 s, a ventricular beat in each",
        500, 110,
        paced(25) + sinus(22, 75) + premature("V", bpm=75) + sinus(18, 75) + paced(15) + premature("V") + paced(60),
        spike_mv=1.6),
    Recording(
        "atrial_pacing", "Atrial pacing with spikes 0.21 s before the R peaks of narrow beats",
        500, 60, sinus(12, 75) + paced(60, "C", 0.85), spike_mv=0.8),
    Recording(
        "strip_10_s", "A strip of 10 s as CSV with a time column, with one ventricular beat",
        500, 10, sinus(4, 80) + premature("V", bpm=80) + sinus(10, 80), form="csv"),
    Recording(
        "beats_alone", "A list of beats without a signal (beatscan rhythm): atrial fibrillation, runs, a pause",
        250, 240,
        sinus(50) + atrial_fibrillation(80) + sinus(20) + premature("V", 5) + sinus(12) + atrial_run(8, 150) + sinus(10)
        + asystole(3.0) + sinus(12) + 5 * premature("V") + sinus(30), form="beats", arguments=("--rate", "250")),
    Recording(
        "reference_pipeline", "The reference pipeline (--config seed) on a CSV file with the column heartbeats. "
        "Detected: no abnormal beat; the model has collapsed",
        250, 60,
        sinus(14) + premature("V") + sinus(12) + premature("V") + sinus(10) + premature_atrial() + sinus(40),
        form="heartbeats", arguments=("--config", "seed")),
)
# The class of a beat by its shape, as in ANSI/AAMI EC57. A lone P wave is not a beat.
CLASSES = {"N": "N", "J": "N", "L": "N", "C": "N", "A": "S", "V": "V", "W": "V", "F": "F", "B": "Q"}


def timeline_of(recording):
    """Returns the Timeline of a Recording, and the random numbers for the rest.

    The seed comes from the name, so that recordings do not depend on each other.
    """
    random = np.random.RandomState(int.from_bytes(hashlib.sha256(recording.name.encode()).digest()[:4], "little"))
    line = timeline(recording.rhythm, recording.duration_s, random)
    line.beats.extend(timeline(recording.second_rhythm, recording.duration_s, random).beats)
    return line, random


def drawn_beats(recording):
    """Returns (sample, class) of the beats that were drawn; none of a StoredRecording."""
    if isinstance(recording, StoredRecording):
        return []
    beats = sorted((beat.time_s, beat.shape) for beat in timeline_of(recording)[0].beats)
    return [(round(time_s * recording.rate_hz), CLASSES[shape]) for time_s, shape in beats if shape in CLASSES]


def write(recording, folder):
    """Writes the files of a recording into the folder, and returns the file to pass to the program."""
    if isinstance(recording, StoredRecording):
        return ROOT / recording.file
    path = Path(folder) / recording.name
    if recording.form == "beats":
        return record_files.write_beats(path, drawn_beats(recording))
    line, random = timeline_of(recording)
    signals = draw_leads(recording, line, random)
    disturb(signals, recording.disturbances, recording.rate_hz, random)
    if recording.form == "wfdb":
        return record_files.write_wfdb(path, signals, recording.rate_hz, recording.start)
    if recording.form == "csv":
        return record_files.write_csv(path, signals, recording.rate_hz)
    (signal,) = signals.values()
    return record_files.write_csv(path, {"heartbeats": signal}, recording.rate_hz, time_column=False)
