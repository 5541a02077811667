#!/usr/bin/env python3
"""Checks the counting of scripts/evaluation on cases computed by hand. The required packages are in
scripts/evaluation/requirements.txt."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402

try:
    import numpy as np
    import scipy  # noqa: F401
    import wfdb
except ModuleNotFoundError as error:
    suite.skip(f"needs {error.name}")

sys.path.insert(0, str(ROOT / "scripts"))
from evaluation import bootstrap, differences, outcomes, records, set_report, sets, stress  # noqa: E402
from evaluation.detection import counts_of  # noqa: E402
from evaluation.ranking import RecordScores, auroc, average_precision  # noqa: E402
from evaluation.set_figures import COLUMNS, SetFigures, alarms  # noqa: E402

RATE = 100.0


def record(name="r", beats="N" * 5, flutter=(), artefacts=()):
    """Returns a record with a beat a second at 1 s, 2 s, ..., of the given classes, and one second more."""
    samples = np.arange(1, len(beats) + 1) * int(RATE)
    return records.Record(name, RATE, (len(beats) + 1) * int(RATE), None, samples, np.array(list(beats)),
                          np.array(list(beats)), list(flutter), list(artefacts))


def found(samples, **columns):
    return {"sample": np.asarray(samples, dtype=np.int64)} | {
        name: np.asarray(values, dtype=str if name == "quality" else np.float64) for name, values in columns.items()}


def tp_fp_fn(counts):
    return counts.tp, counts.fp, counts.fn


class Detection(unittest.TestCase):
    def counts(self, truth, samples, *key):
        return tp_fp_fn(counts_of(truth, np.asarray(samples, dtype=np.int64))[key])

    def test_pairs_are_one_to_one_within_the_tolerance(self):
        samples = [95, 105, 215, 316, 400]  # 15 samples are 150 ms; beats 100, 200, 300, 400, 500
        self.assertEqual(self.counts(record(), samples, 150, False), (3, 2, 2))
        self.assertEqual(self.counts(record(), samples, 50, False), (2, 3, 3))

    def test_no_beat_found_misses_all(self):
        self.assertEqual(self.counts(record(), [], 150, False), (0, 0, 5))

    def test_flutter_is_left_out_where_asked(self):
        truth = record(flutter=[(190, 310)])  # beats 200 and 300
        samples = [100, 200, 250, 310, 350]  # 250 is false in flutter, 310 is beat 300, 350 is false after it
        self.assertEqual(self.counts(truth, samples, 150, False), (3, 2, 2))
        self.assertEqual(self.counts(truth, samples, 150, True), (1, 1, 2))

    def test_artefacts_are_always_left_out(self):
        truth = record(artefacts=[(190, 310)])
        samples = [100, 200, 250, 310, 350]
        self.assertEqual(self.counts(truth, samples, 150, False), (1, 1, 2))

    def test_a_beat_at_an_artefacts_edge_keeps_its_partner(self):
        truth = record(artefacts=[(101, 110)])  # beat 100 is outside, what was found inside
        self.assertEqual(self.counts(truth, [105, 200, 300, 400, 500], 150, True), (5, 0, 0))

    def test_masks_are_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "r.mask.csv"
            self.assertEqual(records.read_artefacts(path), [])
            path.write_text("start,end,kind\n0,10,visual\n5,20,software\n30,31,visual\n")
            artefacts = records.read_artefacts(path)
        inside = record(artefacts=artefacts).in_artefact(np.array([0, 9, 10, 15, 29, 30, 31]))
        self.assertEqual(inside.tolist(), [True, True, False, False, False, True, False])


class Ranking(unittest.TestCase):
    def test_figures_of_three_beats(self):
        self.assertEqual(auroc(np.array([3.0, 1.0]), np.array([2.0])), 0.5)
        self.assertAlmostEqual(average_precision(np.array([3.0, 1.0]), np.array([2.0])), (1 + 2 / 3) / 2)

    def test_a_missed_beat_ranks_last(self):
        truth = record(beats="NVNVN")
        beats = found([100, 200, 300, 500], score=[1, 9, 2, 3])  # the second V at 400 is missed
        scores = RecordScores(truth, beats)
        self.assertEqual(scores.counts["V_missed"], 1)
        self.assertEqual(scores.figures["score", "V", "auroc"], 0.5)
        self.assertAlmostEqual(scores.figures["score", "V", "average_precision"], (1 + 2 / 5) / 2)

    def test_alarms_of_normal_beats_and_of_no_beats(self):
        truth = record(beats="NNVV")
        beats = found([100, 150, 200, 300, 400], score=[7, 8, 9, 7, 1], anomalous=[1, 1, 1, 1, 0],
                      quality=["good", "good", "noisy", "good", "good"])
        counts = RecordScores(truth, beats).counts
        self.assertEqual([counts[name] for name in ("N_flagged", "N_flagged_in_good", "no_beat_flagged", "V_flagged")],
                         [2, 1, 1, 1])
        self.assertEqual(alarms(counts, 0.5), {
            "normal_flagged_per_hour": 4, "normal_flagged_in_good_signal_per_hour": 2, "no_beat_flagged_per_hour": 2,
            "V_flagged": 0.5, "V_missed": 0})

    def test_flagged_flutter_is_no_false_alarm(self):
        beats = found([100, 250, 350], score=[1, 9, 9], anomalous=[0, 1, 1])
        self.assertEqual(RecordScores(record(flutter=[(240, 260)]), beats).counts["no_beat_flagged"], 1)
        self.assertEqual(RecordScores(record(artefacts=[(340, 360)]), beats).counts["no_beat_flagged"], 1)

    def test_records_in_which_rhythm_alone_is_better(self):
        truth = record(beats="V" * 10 + "N" * 10)
        positions = truth.samples
        rhythm, score = np.r_[np.ones(10), np.zeros(10)], np.r_[np.zeros(10), np.ones(10)]
        figures = SetFigures(sets.RecordSet("s", None, [truth]), outcomes.Outcome(
            {"r": found(positions, score=score, baseline_score=rhythm, rhythm_score=rhythm)}, [], 0))
        self.assertEqual([(name, kind) for name, kind, _ in figures.where_rhythm_is_better()],
                         [("r", "V"), ("r", "SVF")])
        self.assertIn("s/r", set_report.rhythm_table({"s": {"variant": figures}}))
        same = SetFigures(sets.RecordSet("s", None, [truth]), outcomes.Outcome(
            {"r": found(positions, **{column: rhythm for column in COLUMNS})}, [], 0))
        self.assertEqual(same.where_rhythm_is_better(), [])


class Bootstrap(unittest.TestCase):
    def test_two_people(self):
        # The mean is 0, 1/2 or 1 in a quarter, a half and a quarter of the draws.
        result = bootstrap.mean_with_interval([0, 1])
        self.assertEqual(result, {"mean": 0.5, "low": 0, "high": 1, "records": 2, "people": 2,
                                  "excludes_zero": False})
        shares = (bootstrap.draws([0, 1]) @ [0, 1]) / 2
        for value, share in ((0, 0.25), (0.5, 0.5), (1, 0.25)):
            self.assertAlmostEqual((shares == value).mean(), share, delta=0.02)  # four standard deviations

    def test_a_person_is_drawn_with_all_records(self):
        times = bootstrap.draws(["a", "b", "a"])
        self.assertEqual({tuple(row) for row in times.tolist()}, {(2, 0, 2), (1, 1, 1), (0, 2, 0)})
        result = bootstrap.mean_with_interval([1, 0, 1], ["a", "b", "a"])
        self.assertAlmostEqual(result["mean"], 2 / 3)
        self.assertEqual((result["low"], result["high"], result["people"]), (0, 1, 2))

    def test_one_difference_for_all_has_no_width(self):
        result = bootstrap.mean_with_interval([0.25] * 7)
        self.assertEqual((result["mean"], result["low"], result["high"]), (0.25, 0.25, 0.25))

    def test_few_people_prove_nothing(self):
        self.assertFalse(bootstrap.mean_with_interval([1] * 5)["excludes_zero"])
        self.assertTrue(bootstrap.mean_with_interval([1] * 6)["excludes_zero"])
        self.assertTrue(bootstrap.mean_with_interval([-1] * 6)["excludes_zero"])
        self.assertFalse(bootstrap.mean_with_interval([1, -1] * 6)["excludes_zero"])
        self.assertFalse(bootstrap.mean_with_interval([1] * 12, list("ab") * 6)["excludes_zero"])

    def test_the_same_draws_every_time(self):
        self.assertEqual(bootstrap.mean_with_interval([1, 2, 5]), bootstrap.mean_with_interval([1, 2, 5]))

    def test_nothing_has_no_interval(self):
        self.assertIsNone(bootstrap.mean_with_interval([]))
        self.assertIsNone(bootstrap.f1_difference([], [], []))

    def test_f1_is_that_of_summed_counts(self):
        ours, theirs = [[8, 0, 0], [1, 1, 1]], [[8, 0, 0], [0, 0, 2]]
        result = bootstrap.f1_difference(ours, theirs, ["a", "b"])
        self.assertAlmostEqual(result["mean"], 18 / 20 - 16 / 18)
        self.assertAlmostEqual(result["low"], 0)  # a alone
        self.assertAlmostEqual(result["high"], 0.5)  # b alone: 2 / 4 against 0


class Scopes(unittest.TestCase):
    def people(self):
        names = {"ds1": ["101", "118", "119"], "nstdb": ["118e00", "118e_6", "119e00"], "cinc2014": ["p112", "p190"],
                 "tele": ["101"]}
        return {name: sets.people_of(sets.RecordSet(name, None, [record(each) for each in of_set]), names)
                for name, of_set in names.items()}

    def test_records_of_one_person(self):
        people = self.people()
        self.assertEqual(people["nstdb"], ["ds1/118", "ds1/118", "ds1/119"])
        self.assertEqual(len(set(people["cinc2014"])), 1)
        self.assertNotEqual(people["tele"], people["ds1"][:1])

    def test_noise_and_the_records_it_was_added_to_are_left_out_together(self):
        scopes = differences.scopes(self.people())
        self.assertEqual(len(scopes["all sets"]), 9)
        self.assertEqual({name for name, _ in scopes["without ds1"]}, {"cinc2014", "tele"})
        self.assertEqual([i for name, i in scopes["without nstdb"] if name == "ds1"], [0])
        self.assertEqual(len(scopes["without tele"]), 8)
        self.assertEqual(scopes["ds1"], [("ds1", 0), ("ds1", 1), ("ds1", 2)])


    def test_each_set_is_left_out_that_has_records_for_a_figure(self):
        truth = {"ds1": record("101", "V" * 10 + "N"), "svdb": record("800", "V" * 10 + "NN"), "tele": record("1", "N")}
        figures = {}
        for name, each in truth.items():
            beats = found(each.samples, score=np.r_[np.ones(10), 0, 0][-len(each.samples):])
            figures[name] = SetFigures(sets.RecordSet(name, None, [each]), outcomes.Outcome({each.name: beats}, [], 0))
        people = {name: [f"{name}/{each.name}"] for name, each in truth.items()}
        by_scope = differences.differences(figures, figures, people)
        self.assertEqual({scope for scope, of_scope in by_scope.items() if "V average_precision" in of_scope},
                         {"ds1", "svdb", "all sets", "without ds1", "without svdb"})
        self.assertIn("F1 at 150 ms", by_scope["without tele"])
        self.assertEqual(by_scope["all sets"]["V average_precision"]["mean"], 0)
        self.assertIn("without tele", set_report.difference_table(by_scope))


def write_record(folder, name, signals, beats):
    folder.mkdir(exist_ok=True)
    wfdb.wrsamp(name, fs=RATE, units=["mV"] * len(signals), sig_name=[f"L{i}" for i in range(len(signals))],
                d_signal=np.array(signals).T, fmt=["16"] * len(signals), adc_gain=[200.0] * len(signals),
                baseline=[0] * len(signals), write_dir=str(folder))
    wfdb.wrann(name, "atr", np.arange(1, len(beats) + 1) * int(RATE), symbol=list(beats), write_dir=str(folder))


class Stress(unittest.TestCase):
    def test_names_tell_the_noise(self):
        self.assertEqual([stress.snr_db(name) for name in ("118e_6", "118e00", "119e24")], [-6, 0, 24])
        self.assertEqual(stress.clean_name("119e_6"), "119")

    def test_mixtures_take_each_lead_from_its_record(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            noisy, clean, out = (folder / each for each in ("nstdb", "ds1", "out"))
            out.mkdir()
            write_record(noisy, "118e00", [[10, 11, 12] * 200, [20, 21, 22] * 200], "NVN")
            write_record(clean, "118", [[30, 31, 32] * 200, [40, 41, 42] * 200], "NVN")
            made = stress.mixtures(sets.read_set(noisy), sets.read_set(clean), out)
            first = {condition: wfdb.rdrecord(str(each.folder / "118e00"), physical=False).d_signal[0].tolist()
                     for condition, each in made.items()}
            self.assertEqual(made[stress.FIRST].records[0].classes.tolist(), ["N", "V", "N"])
        self.assertEqual(first, {stress.BOTH: [10, 20], stress.FIRST: [10], "noise on the first of two": [10, 40],
                                 "noise on the second of two": [30, 20]})


PROGRAM = """#!{python}
# Stands for beatscan: refuses the record `bad`, and finds a beat at 1 s and 2 s in the others.
import pathlib, sys
out, inputs = pathlib.Path(sys.argv[sys.argv.index("--out") + 1]), sys.argv[2:sys.argv.index("--out")]
with open("{log}", "a") as log:
    log.write(" ".join(sys.argv[sys.argv.index("--out") + 2:]) + "\\n")
for path in map(pathlib.Path, inputs):
    if path.name != "bad":
        (out / path.name).mkdir(parents=True)
        (out / path.name / "beats.csv").write_text("sample,score,quality\\n100,1.5,good\\n200,,noisy\\n")
sys.exit(7)
"""


class Outcomes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="beatscan-evaluation-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log, self.program = self.folder / "log", self.folder / "beatscan"
        self.program.write_text(PROGRAM.format(python=sys.executable, log=self.log))
        self.program.chmod(0o755)
        for name in ("bad", "fine"):
            write_record(self.folder / "s", name, [[0, 1] * 200], "NVN")
        self.set = sets.read_set(self.folder / "s")

    def outcome(self, *settings):
        variant = outcomes.variant_of(["v", *settings], (), self.program)
        with contextlib.redirect_stderr(io.StringIO()):
            return outcomes.Finders(self.folder / "cache", "cpu", None).of_variant(variant, self.set)

    def test_a_refused_recording_has_no_beats(self):
        outcome = self.outcome()
        self.assertEqual(outcome.refused, ["bad"])
        self.assertEqual(outcome.beats["fine"]["sample"].tolist(), [100, 200])
        self.assertEqual(outcome.beats["fine"]["quality"].tolist(), ["good", "noisy"])
        self.assertTrue(np.isnan(outcome.beats["fine"]["score"][1]))
        figures = SetFigures(self.set, outcome)
        self.assertEqual(tp_fp_fn(figures.gross[150, True]), (2, 0, 4))

    def test_nothing_is_run_twice(self):
        self.outcome("a=1")
        self.outcome("a=1")
        self.assertEqual(len(self.log.read_text().splitlines()), 1)
        self.outcome("a=2")
        self.assertEqual(len(self.log.read_text().splitlines()), 2)
        self.program.write_text(self.program.read_text() + "# another program\n")
        self.outcome("a=2")
        self.assertEqual(len(self.log.read_text().splitlines()), 3)
        write_record(self.folder / "s", "fine", [[0, 2] * 200], "NVN")
        self.set = sets.read_set(self.folder / "s")
        self.outcome("a=2")
        self.assertEqual(len(self.log.read_text().splitlines()), 4)

    def test_sets_without_abnormal_beats_are_hardly_trained_on(self):
        self.outcome("vae.epochs=7")  # the variant's own wins
        self.assertIn("--set vae.epochs=1 --set vae.epochs=7", self.log.read_text())

    def test_variants_are_parsed_from_words(self):
        variant = outcomes.variant_of(["v", "a.b=1", f"program={self.program}"], ("c=2",), pathlib.Path("none"))
        self.assertEqual((variant.program, variant.settings), (self.program, ("c=2", "a.b=1")))
        for words in (["a=1"], ["v", "a"], ["v", f"program={self.folder}/none"]):
            with self.assertRaises(ValueError):
                outcomes.variant_of(words, (), self.program)


if __name__ == "__main__":
    suite.main()
