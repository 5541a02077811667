#!/usr/bin/env python3
"""Checks scripts/train_classifier: matching, folds, synthetic noise, the reference RR interval and the odds of atrial
fibrillation compared with those of the program, and a short training on synthetic records. The required packages are in
scripts/classify/requirements.txt."""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402

try:
    import lightgbm  # noqa: F401
    import numba  # noqa: F401
    import numpy as np
    import scipy  # noqa: F401
    import wfdb
except ModuleNotFoundError as error:
    suite.skip(f"needs {error.name}")

sys.path.insert(0, str(ROOT / "scripts"))
from classify import chain, fibrillation, intervals, measure, model, noise, records, rounds, weak  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build")) / "beatscan"
N, S, V, X = range(4)


def bell(t, centre, width, height):
    return height * np.exp(-0.5 * ((t - centre) / width) ** 2)


def write_record(folder, name, seed, minutes=3, rate=250):
    """Writes a record of two leads with V and S beats among N beats."""
    draw = np.random.default_rng(seed)
    at, beats = 0.6, []
    while at < 60 * minutes - 1:
        kind = draw.choice(["N", "V", "A"], p=[0.86, 0.08, 0.06]) if beats and beats[-1][1] == "N" else "N"
        early = {"N": 0, "V": 0.3, "A": 0.25}[kind]
        beats.append((at - early, kind))
        at += 0.8 + 0.02 * draw.standard_normal() + (0.1 if kind == "V" else -early if kind == "A" else 0)
    t = np.arange(int(60 * minutes * rate)) / rate
    x = 0.01 * draw.standard_normal((len(t), 2))
    for centre, kind in beats:
        near = np.abs(t - centre) < 0.6
        u = t[near]
        wave = bell(u, centre, *((0.04, -1.4) if kind == "V" else (0.012, 1))) + bell(u, centre + 0.28, 0.05, 0.3)
        if kind != "V":
            wave += bell(u, centre - (0.16 if kind == "N" else 0.14), 0.02, 0.15)
        x[near] += wave[:, None] * [1, 0.7]
    wfdb.wrsamp(name, fs=rate, units=["mV"] * 2, sig_name=["MLII", "V1"], p_signal=x, fmt=["16"] * 2,
                adc_gain=[1000.0] * 2, baseline=[0] * 2, write_dir=str(folder))
    wfdb.wrann(name, "atr", np.array([round(c * rate) for c, _ in beats]), [k for _, k in beats], write_dir=str(folder))


class Records(unittest.TestCase):
    def test_a_detection_is_matched_once_and_to_the_nearest(self):
        found = records.match(np.array([100, 200, 300]), np.array([95, 103, 310, 500]), 20)
        self.assertEqual(found.tolist(), [1, -1, 2])

    def test_patients_of_copies_and_parts(self):
        self.assertEqual([records.patient_of(name) for name in ("118e06", "119e_6", "data_12_3", "sel104", "801")],
                         ["118", "119", "data_12", "sel104", "801"])

    def test_a_patient_is_in_one_fold(self):
        found = [records.Record(name, str(k), str(k % 7), None, 250, np.arange(3), np.full(3, k % 4))
                 for name in ("a", "b") for k in range(20)]
        records.assign_folds(found, 3)
        for patient in range(7):
            self.assertEqual(len({r.fold for r in found if r.patient == str(patient)}), 1)
        self.assertEqual({r.fold for r in found}, {0, 1, 2})


class Measures(unittest.TestCase):
    def test_counts_follow_ec57(self):
        record = records.Record("a", "b", "c", None, 250, np.array([100, 200, 300, 400]),
                                np.array([V, N, V, records.FUSION]))
        record.peaks = np.array([100, 200, 400, 600])
        records.label(record)
        self.assertEqual(record.label.tolist(), [V, N, records.FUSION, X])
        self.assertEqual(measure.counts(record, np.array([V, V, V, V]), V).tolist(), [1, 2, 1])  # F does not count


class Weak(unittest.TestCase):
    """Records without beat classes."""

    def test_what_labels_say_of_detections(self):
        record = records.Record("tele", "a", "a", None, 100, np.array([100, 200]), np.full(2, records.OTHER),
                                names=["is_premature"], table=np.array([[0], [1], [0], [0]], np.float32))
        record.peaks = np.array([100, 200, 300, 400])
        record.spans = [(0, 1000, "beats"), (350, 1000, "unknown")]
        records.label(record)
        self.assertEqual(record.label.tolist(), [N, records.OTHER, X, records.OTHER])
        record.spans = [(0, 250, "sinus"), (250, 350, "N")]
        records.label(record)
        self.assertEqual(record.label.tolist(), [N, records.OTHER, N, records.OTHER])

    def test_labels_of_ecgs_without_extrasystoles(self):
        spans = lambda *labels: weak.spans_of("ludb", {"labels": labels}, 5)
        self.assertEqual(spans("Rhythm: Sinus rhythm"), [(0, 5, "N")])
        self.assertEqual(spans("Rhythm: Sinus rhythm", "Ventricular extrasystole, type: single PVC"), [])
        self.assertEqual(spans("Rhythm: Atrial fibrillation"), [])


class Noise(unittest.TestCase):
    def test_noise_is_the_same_again_and_leaves_clean_parts(self):
        x = np.zeros((2, 360 * 120))
        beats = np.arange(100, x.shape[1] - 100, 300)
        for beat in beats:
            x[:, beat - 5:beat + 6] += np.hanning(11)
        once, again = noise.Maker(360, 4).add(x, beats), noise.Maker(360, 4).add(x, beats)
        np.testing.assert_array_equal(once, again)
        share = (np.abs(once - x) > 1e-6).any(0).mean()
        self.assertTrue(0.05 < share < 0.9, share)


class Trees(unittest.TestCase):
    """The arrays in the model file give LightGBM's predictions."""

    def test_arrays_give_the_odds_of_lightgbm(self):
        draw = np.random.default_rng(2)
        x = draw.standard_normal((4000, 5)).astype(np.float32)
        x[draw.random(x.shape) < 0.1] = np.nan
        y = (np.nan_to_num(x[:, 0]) > 0.5).astype(int) + 2 * (np.nan_to_num(x[:, 1], nan=2) > 1)
        booster = lightgbm.train({**rounds.PARAMETERS, "num_threads": 1, "seed": 1}, lightgbm.Dataset(x, y), 12)
        arrays = model.Arrays()
        for tree in booster.dump_model()["tree_info"]:
            arrays.add(tree)
        ends = arrays.first_split[1:] + [len(arrays.feature)]
        found = np.zeros((len(x), 4))
        for t, (first, end) in enumerate(zip(arrays.first_split, ends)):
            for i, row in enumerate(x):
                at = 0 if end > first else -1
                while at >= 0:
                    value = row[arrays.feature[first + at]]
                    left = arrays.nan_left[first + at] if np.isnan(value) else value <= arrays.threshold[first + at]
                    at = (arrays.left if left else arrays.right)[first + at]
                found[i, t % 4] += arrays.leaf[arrays.first_leaf[t] - 1 - at]
        np.testing.assert_allclose(found, booster.predict(x, raw_score=True), atol=1e-6)


class FixedTrees:
    """Returns the same log odds for every beat."""

    def __init__(self, raw):
        self.raw = np.array(raw, float)

    def predict(self, inputs, **_):
        return np.tile(self.raw, (len(inputs), 1))


class Odds(unittest.TestCase):
    def test_odds_of_s_are_lower_in_atrial_fibrillation(self):
        record = records.Record("a", "b", "c", None, 250, None, None, names=["af_log_odds"],
                                table=np.array([[-20.0], [3.0]], np.float32))
        odds = rounds.odds_of(FixedTrees([1, 3, 0, -2]), record, np.zeros((2, 1)), rounds.Options(af_weight=0.5))
        np.testing.assert_allclose(odds, [[2, -1, -3], [2 - 0.5 * np.log1p(np.exp(3)), -1, -3]], atol=1e-6)

    def test_each_class_comes_from_its_series(self):
        odds = {"noise": np.array([[0.0, 2.0, -1.0]]), "clean": np.array([[1.5, 7.0, 7.0]])}
        parts = rounds.combined(odds)
        v, x = 2 - np.log(2), -1 - np.log(2)
        np.testing.assert_allclose(parts, [[1.5, v, x]])
        found = rounds.calibrated(parts, np.array([[1, 0], [1, 0], [1, 0]]))[0]
        self.assertAlmostEqual(found.sum(), 1)
        self.assertAlmostEqual(np.log(found[S] / found[N]), 1.5)
        self.assertAlmostEqual(np.log(found[V] / (found[N] + found[S])), v)
        self.assertAlmostEqual(np.log(found[X] / (found[N] + found[S])), x)

    def test_calibration_makes_posteriors_shares(self):
        draw = np.random.default_rng(1)
        true = draw.normal(-2, 2, (20000, 3))
        p = rounds.calibrated(true, np.array([[1, 0], [1, 0], [1, 0]]))
        label = (p.cumsum(1) < draw.random((len(p), 1))).sum(1)
        record = records.Record("a", "b", "c", None, 250, None, None, label=label)
        found = rounds.fit_calibration([record], [true * 2 + 1])
        np.testing.assert_allclose(found, [[0.5, -0.5]] * 3, atol=0.1)

    def test_no_beat_is_set_aside_where_most_would_be(self):
        odds = np.full((10, 3), -9.0)
        odds[:5, 1] = 9
        self.assertEqual(rounds.aside_of(odds).sum(), 5)
        odds[:7, 1] = 9
        self.assertEqual(rounds.aside_of(odds).sum(), 0)


class Chain(unittest.TestCase):
    """The evidence of neighbouring beats for each other's class."""

    made = chain.Chain(np.array([0.8, 1.1]), np.array([[0.0, 0.3, -0.5], [0.4, 1.2, -0.7], [0.1, -2.0, 0.6]]))

    def test_odds_are_those_of_all_sequences(self):
        parts = np.random.default_rng(1).normal(0, 2, (5, 3))
        state_odds = np.c_[np.zeros(5), self.made.slope * parts[:, 1:]]
        expected = np.zeros((5, 3))
        for path in itertools.product(range(3), repeat=5):
            likelihood = np.exp(sum(state_odds[i, s] for i, s in enumerate(path))
                                + sum(self.made.pair[a, b] for a, b in zip(path, path[1:])))
            for i, s in enumerate(path):
                expected[i, s] += likelihood
        found = chain.chained(self.made, parts)
        np.testing.assert_allclose(found, np.c_[parts[:, 0], np.log(expected[:, 1:] / expected[:, :1])], atol=1e-9)

    def test_a_chain_that_says_nothing_leaves_the_odds(self):
        parts = np.random.default_rng(2).normal(0, 2, (9, 3))
        np.testing.assert_allclose(chain.chained(chain.identity(), parts), parts, atol=1e-9)
        self.assertEqual(chain.chained(self.made, parts[:0]).shape, (0, 3))

    def test_it_learns_that_an_artifact_among_v_is_one_of_them(self):
        draw, found, before = np.random.default_rng(3), [], []
        for k in range(4):
            label = np.full(600, N)
            for first in range(10, 590, 20):
                label[first:first + 5] = V
            label[::50] = X  # except V
            parts = np.c_[np.full(600, -5.0), 6.0 * (label == V) - 3, 6.0 * (label == X) - 3]
            parts[:, 1:] += draw.normal(0, 1, (600, 2))
            parts[(label == V) & (draw.random(600) < 0.3), 2] += 6
            found.append(records.Record("a", str(k), str(k), None, 250, None, None, fold=k % 2, label=label))
            before.append(parts)
        _, after = chain.out_of_fold(found, before)
        missed = [np.mean([(of[r.label == V, 2] > of[r.label == V, 1]).mean() for r, of in zip(found, parts)])
                  for parts in (before, after)]
        self.assertLess(missed[1], 0.5 * missed[0])


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="beatscan-classify-")
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "made").mkdir()
        for k in range(4):
            write_record(cls.path / "made", f"m{k}", k)
        cls.printed = cls.train("first.json")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def train(cls, out):
        done = subprocess.run(
            [sys.executable, str(ROOT / "scripts/train_classifier"), str(cls.path / "made"),
             "--work", str(cls.path / "work"), "--out", str(cls.path / out), "--program", str(PROGRAM),
             "--noise", "made", "--folds", "2", "--rounds", "2", "--trees", "20"],
            capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout

    def test_it_says_what_it_finds_beside_the_program(self):
        self.assertIn("out of fold: made, 4 records", self.printed)
        self.assertIn("out of fold: made with made noise, 4 records", self.printed)
        self.assertIn("program", self.printed)

    def test_the_model_finds_v_beats(self):
        document = json.loads((self.path / "first.json").read_text())
        self.assertGreater(document["out_of_fold"]["made"]["V, model"]["f1"], 0.9)
        self.assertEqual([len(series) for series in document["series"].values()], [2, 2])

    def test_it_gives_the_same_bytes_again(self):
        self.train("second.json")
        self.assertEqual((self.path / "first.json").read_bytes(), (self.path / "second.json").read_bytes())

    def test_the_program_has_the_same_intervals(self):
        folder = self.path / "work/tables/made/m0"
        names = [c["name"] for c in json.loads((folder / "features.json").read_text())["columns"]]
        table = np.load(folder / "features.npy")
        rr = table[:, names.index("rr_s")].astype(float)
        expected = intervals.columns(rr, np.zeros(len(rr), bool))
        for k, name in enumerate(intervals.COLUMNS):
            np.testing.assert_allclose(table[:, names.index(name)], expected[:, k], atol=1e-4, err_msg=name)
        expected = fibrillation.measures(rr)
        for k, name in enumerate(fibrillation.NAMES):
            np.testing.assert_allclose(table[:, names.index(name)], expected[:, k], atol=1e-3, err_msg=name)


if __name__ == "__main__":
    suite.main()
