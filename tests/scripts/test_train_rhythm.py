#!/usr/bin/env python3
"""Checks scripts/train_rhythm: labels, measures and windows, the decoder compared with an exhaustive search, figures,
and a training on synthetic intervals. The required packages are in scripts/classify/requirements.txt."""
import itertools
import json
import pathlib
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402

try:
    import lightgbm  # noqa: F401
    import numba  # noqa: F401
    import numpy as np
    import sklearn  # noqa: F401
except ModuleNotFoundError as error:
    suite.skip(f"needs {error.name}")

sys.path.insert(0, str(ROOT / "scripts"))
from rhythm import decoder, evaluation, features, measure, model, records, sources, training  # noqa: E402
from rhythm.records import PLACE, STATES, UNKNOWN  # noqa: E402

NSR, AFIB = PLACE["NSR"], PLACE["AFIB"]


def made_record(name, seed, with_fibrillation=True, seconds=240):
    """Returns a record of intervals: regular in the first half, irregular in the second."""
    draw, at, times = np.random.default_rng(seed), 0.5, []
    while at < seconds:
        times.append(at)
        irregular = with_fibrillation and at > seconds / 2
        at += draw.uniform(0.4, 1.1) if irregular else 0.85 + 0.02 * draw.standard_normal()
    middle = seconds / 2
    stretches = [(0, middle, NSR), (middle, seconds, AFIB)] if with_fibrillation else [(0, seconds, NSR)]
    record = records.Record("made", name, name, None, 250.0, float(seconds), stretches)
    record.times = np.array(times)
    record.table = np.diff(times, prepend=times[0] - 0.85)[:, None].astype(np.float32)
    record.names, record.classes = ["rr_s"], np.full((len(times), 4), np.nan)
    records.label_beats(record)
    return record


def of_beats(symbols, interval_s=0.8):
    """Returns the segments by definition of beats at a constant interval."""
    at = (np.arange(len(symbols)) + 1) * interval_s * 100
    marks = types.SimpleNamespace(sample=at.astype(int), symbol=list(symbols))
    return records.by_beats(marks, 100.0, float(at[-1] / 100 + 1))


class Labels(unittest.TestCase):
    def test_definitions_over_beats(self):
        sinus = "N" * 16
        states = {STATES[state] for _, _, state in of_beats(sinus + "VN" * 6 + sinus) if state != UNKNOWN}
        self.assertEqual(states, {"NSR", "BIGEMINY"})
        self.assertIn(PLACE["TRIGEMINY"], {s[2] for s in of_beats(sinus + "VNN" * 5 + sinus)})
        self.assertIn(PLACE["VT"], {s[2] for s in of_beats(sinus + "VVVVV" + sinus, 0.5)})
        self.assertIn(PLACE["IVR"], {s[2] for s in of_beats(sinus + "VVVVV" + sinus, 0.8)})

    def test_irregular_intervals_between_normal_beats_leave_the_rhythm_unknown(self):
        at = np.cumsum(np.random.default_rng(1).uniform(0.4, 1.1, 60)) * 100
        marks = types.SimpleNamespace(sample=at.astype(int), symbol=["N"] * 60)
        self.assertEqual({state for _, _, state in records.by_beats(marks, 100.0, 60.0)}, {UNKNOWN})

    def test_labels_of_whole_recordings(self):
        of = lambda *labels: records.whole_recording(labels, 10.0)[0][2]
        self.assertEqual([of("sinus rhythm", "PVC"), of("AF"), of("sinus rhythm", "AFL"), of("RBBB"),
                          of("sinus rhythm", "pacing rhythm"), of("Atrial flutter, typical")],
                         [NSR, AFIB, PLACE["AFL"], UNKNOWN, UNKNOWN, PLACE["AFL"]])

    def test_a_patient_is_in_one_fold(self):
        found = [records.Record("a", str(k), str(k % 7), None, 250, 10, [(0, 10, k % 3)]) for k in range(30)]
        records.assign_folds(found, 3)
        for patient in range(7):
            self.assertEqual(len({r.fold for r in found if r.patient == str(patient)}), 1)


class Features(unittest.TestCase):
    def test_windows_leave_out_what_does_not_exist(self):
        draw = np.random.default_rng(3)
        values = draw.standard_normal(40)
        values[draw.random(40) < 0.4] = np.nan
        values[10:17] = np.nan
        by_hand = {features.MEAN: np.mean, features.MOST: np.max, features.LEAST: np.min, features.DEVIATION: np.std}
        for name, of in by_hand.items():
            for reach in (0, 2):
                windows = [values[max(i - reach, 0):i + reach + 1] for i in range(40)]
                known = [w[np.isfinite(w)] for w in windows]
                expected = [of(w) if len(w) else np.nan for w in known]
                np.testing.assert_allclose(features.STATISTICS[name](values, reach), expected, atol=1e-7)

    def test_runs_and_patterns_of_certain_classes(self):
        v = np.array([0, 0, 1, 1, 1, 0, 0.0])
        np.testing.assert_allclose(features.run_lengths(v), [0, 0, 3, 3, 3, 0, 0])
        self.assertEqual(features.pattern(np.array([0, 1, 0, 1, 0, 1, 0, 0, 0.0]), 2)[2:5].tolist(), [1, 1, 1])
        self.assertEqual(features.pattern(np.array([0, 0, 1, 0, 0, 1, 0, 0, 1.0]), 3)[3:6].tolist(), [1, 1, 1])

    def test_intervals_alone_have_their_features(self):
        found = features.features(made_record("a", 1), np.full((1, 4), np.nan), features.INTERVAL_FEATURES[:10])
        self.assertTrue(np.isfinite(found).all())


class Decoder(unittest.TestCase):
    def setUp(self):
        draw = np.random.default_rng(5)
        self.emission, self.prior, self.stay = draw.standard_normal((6, 3)) * 2, np.array([0.6, 0.3, 0.1]), 0.8

    def log_of(self, path):
        change = self.stay * np.eye(3) + (1 - self.stay) * self.prior[None]
        return (np.log(self.prior[path[0]]) + self.emission[range(6), path].sum()
                + sum(np.log(change[a, b]) for a, b in zip(path, path[1:])))

    def test_it_is_that_of_all_sequences(self):
        paths = [np.array(p) for p in itertools.product(range(3), repeat=6)]
        logs = np.array([self.log_of(p) for p in paths])
        best = decoder.viterbi(self.emission, self.prior, self.stay)
        self.assertEqual(best.tolist(), paths[logs.argmax()].tolist())
        weight = np.exp(logs - logs.max())
        expected = np.array([[weight[[p[i] == s for p in paths]].sum() for s in range(3)] for i in range(6)])
        found = decoder.forward_backward(self.emission, self.prior, self.stay)
        np.testing.assert_allclose(found, expected / weight.sum(), atol=1e-9)

    def test_segments_cover_the_recording(self):
        found = decoder.segments(np.array([0, 0, 2, 2, 1]), np.arange(6.0), np.full((5, 3), 0.5))
        self.assertEqual(found, [(0, 2, 0, 0.5), (2, 4, 2, 0.5), (4, 5, 1, 0.5)])


class Figures(unittest.TestCase):
    def test_strips_and_durations(self):
        record = records.Record("a", "b", "c", None, 250, 30.0, [(0, 10, NSR), (10, 20, AFIB), (20, 30, UNKNOWN)])
        counts = measure.duration_counts(record, [(5, 18, AFIB, 0.9), (25, 30, AFIB, 0.9)], AFIB)
        self.assertEqual(counts.tolist(), [8, 5, 2])
        strips = measure.strips([record], [{AFIB, PLACE["VT"]}])
        self.assertEqual(strips["AFIB"]["f1"], 1)
        self.assertEqual(strips["VT"]["counts"], [0, 1, 0])


class Training(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = [made_record(str(k), k, k % 3 > 0) for k in range(9)]
        records.assign_folds(cls.records, 3)
        cls.wanted = [f for f in features.INTERVAL_FEATURES if f[0] in features.INTERVALS]
        cls.inputs = [features.features(r, r.classes, cls.wanted) for r in cls.records]

    def test_fibrillation_is_found_out_of_fold(self):
        log_ps = training.out_of_fold(cls_records := self.records, self.inputs, strength=0.1)
        priors = {"holter": np.full(len(STATES), 1 / len(STATES))}
        found = evaluation.decoded(cls_records, log_ps, priors, {"holter": decoder.Settings()})
        counts = sum(measure.duration_counts(r, s, AFIB) for r, s in zip(cls_records, found))
        self.assertGreater(measure.f1(counts), 0.9, counts)

    def test_the_file_is_the_same_again_and_damage_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.json", "b.json")]
            for file in files:
                regression = training.fit(self.records, self.inputs, strength=0.1)
                decoding = model.decoding_of(sources.priors(self.records), {"strip": decoder.Settings()}, 2.0, {})
                model.write(file, {"intervals": (regression, self.wanted)}, decoding, self.records, {}, {})
            self.assertEqual(files[0].read_bytes(), files[1].read_bytes())
            read, _ = model.read(files[0])
            again, wanted = read["intervals"]
            self.assertEqual(wanted, self.wanted)
            np.testing.assert_allclose(again.log_p(self.inputs[0]), regression.log_p(self.inputs[0]), atol=1e-4)
            document = json.loads(files[0].read_text())
            document["decoding"]["confidence_temperature"] = 3
            files[0].write_text(json.dumps(document))
            with self.assertRaisesRegex(ValueError, "damaged"):
                model.read(files[0])


if __name__ == "__main__":
    suite.main()
