#!/usr/bin/env python3
"""Checks scripts/train_waves: windows, decoding and confidence on cases computed by hand, the net against the
definition in docs/waves.md, the shipped model, and a short training on synthetic records. Needs the packages of
scripts/evaluation/requirements.txt, and PyTorch."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402

os.environ["OMP_NUM_THREADS"] = "1"  # the net is small: threads would wait for each other
try:
    import numpy as np
    import torch
    import wfdb
except ModuleNotFoundError as error:
    suite.skip(f"needs {error.name}")

sys.path.insert(0, str(ROOT / "scripts"))
from waves import amplitudes, calibration, confidence, data, decode, model, net, windows  # noqa: E402

train_waves = SourceFileLoader("train_waves", str(ROOT / "scripts/train_waves")).load_module()

MODEL = ROOT / "models/waves.json"
RATE = 500
SIZE = (6, 8, 10, 12)


def bell(t, centre, width, height):
    return height * np.exp(-0.5 * ((t - centre) / width) ** 2)


def mask(*runs, length=320):
    """Returns a mask that is 0.9 in runs [first, last] and 0 elsewhere."""
    values = np.zeros(length, np.float32)
    for first, last in runs:
        values[first:last + 1] = 0.9
    return values


class Windows(unittest.TestCase):
    def test_a_constant_and_a_slow_line_are_baseline(self):
        x = np.full((1, 5000), 2.0)
        np.testing.assert_allclose(windows.baseline(x, 250.0), 2, atol=1e-12)
        t = np.arange(10000) / 250
        slow = np.sin(2 * np.pi * 0.01 * t)[None]
        self.assertLess(np.abs(windows.without_baseline(slow, 250.0)[0, 2000:-2000]).max(), 0.002)

    def test_windows_have_the_same_values_at_any_rate(self):
        for rate in (125.0, 360.0, 500.0, 1000.0):
            t = np.arange(int(4 * rate)) / rate
            cut = windows.cut(np.sin(2 * np.pi * 7 * t)[None], rate, [2 * rate + 0.3])[0, 0]
            at = 2 + 0.3 / rate + (np.arange(320) - 125) / 250
            np.testing.assert_allclose(cut, np.sin(2 * np.pi * 7 * at), atol=0.02)

    def test_missing_samples_become_the_median(self):
        x = np.full((1, 1000), 3.0)
        x[0, 480:520] = np.nan
        filled = windows.fill(windows.cut(x, 250.0, [500.0]))
        np.testing.assert_allclose(filled, 3)
        self.assertTrue((windows.fill(windows.cut(x * np.nan, 250.0, [500.0])) == 0).all())

    def test_an_average_is_the_median_of_three_like_beats(self):
        single = np.zeros((1, 4, 320), np.float32)
        single[0, :, 100] = [1, 2, 3, 40]
        same = windows.same_template(single) | True  # all neighbours
        reach = windows.AVERAGE_REACH
        inside = np.arange(4)[:, None] + np.arange(-reach, reach + 1)
        same &= (inside >= 0) & (inside < 4)
        self.assertEqual(windows.local_averages(single, same)[0, 0, 100], 2.5)
        same[:, :] = False
        same[:, reach] = True
        self.assertEqual(windows.local_averages(single, same)[0, 3, 100], 40)


class Decoding(unittest.TestCase):
    def waves(self, p=(), qrs=((118, 140),), t=((190, 220),), before=250, after=250):
        masks = np.stack([mask(*p), mask(*qrs), mask(*t)])[None]
        return decode.beat_waves(masks, np.array([before]), np.array([after]))[0] + windows.R_INDEX

    def test_crossings_are_interpolated(self):
        found = self.waves(p=[(80, 100)])
        # From 0 to 0.9 within one value, 0.5 is 0.5 / 0.9 of the way.
        np.testing.assert_allclose(found[[0, 2]], [80 - 0.4 / 0.9, 100 + 0.4 / 0.9], rtol=1e-6)
        np.testing.assert_allclose(found[[3, 5]], [118 - 0.4 / 0.9, 140 + 0.4 / 0.9], rtol=1e-6)
        self.assertEqual(found[1], 90)

    def test_holes_are_closed_and_short_waves_are_none(self):
        np.testing.assert_allclose(self.waves(p=[(80, 90), (93, 100)])[[0, 2]], [79.5556, 100.4444], atol=1e-3)
        self.assertTrue(np.isnan(self.waves(p=[(80, 83)])[0]))
        self.assertTrue(np.isnan(self.waves(t=[(190, 196)])[6]))

    def test_p_lies_between_the_beat_before_and_the_qrs_complex(self):
        self.assertTrue(np.isnan(self.waves(p=[(40, 60)], before=60)[0]))  # 100 ms after R at 65 is 90
        self.assertTrue(np.isnan(self.waves(p=[(150, 170)])[0]))

    def test_p_is_behind_the_t_wave_of_the_beat_before(self):
        masks = np.stack([np.stack([mask(), mask((118, 140)), mask((200, 230))]),
                          np.stack([mask((60, 75), (95, 110)), mask((118, 140)), mask((200, 230))])])
        # The T wave of the first beat ends at 230, which is 70 in the window of a beat 160 values later.
        found = decode.beat_waves(masks, np.array([999.0, 160.0]), np.array([160.0, 999.0])) + windows.R_INDEX
        self.assertAlmostEqual(found[1, 0], 94.5556, places=3)

    def test_fusion_needs_a_third_of_the_leads(self):
        leads = np.full((12, 1, 9), np.nan)
        leads[:3, 0, :3] = [-50, -40, -30]
        self.assertTrue(np.isnan(decode.fuse(leads)[0, 0]))
        leads[:4, 0, :3] = [-50, -40, -30]
        self.assertEqual(decode.fuse(leads)[0, 0], -50)
        leads[:, 0, 3:6] = np.arange(12)[:, None] + [-20, 0, 20]
        fused = decode.fuse(leads)[0]
        np.testing.assert_allclose(fused[3:6], [-20 + 0.15 * 11, 5.5, 20 + 0.85 * 11])

    def test_a_p_wave_without_a_qrs_complex_is_found(self):
        masks = np.stack([mask((150, 165), length=401), mask((0, 14), length=401), mask((50, 90), length=401)])
        np.testing.assert_allclose(decode.non_conducted(masks, 400.0), [[150 - 0.55 / 0.9, 165 + 0.55 / 0.9]])
        masks[1, 155] = 0.6
        self.assertEqual(len(decode.non_conducted(masks, 400.0)), 0)


class Net(unittest.TestCase):
    def test_agrees_with_its_definition(self):
        size, weights = model.read(MODEL)
        x = np.random.default_rng(3).normal(size=(2, 320)).astype(np.float32)
        values = {"input": x.astype(np.float64)}
        for layer in json.loads(MODEL.read_text())["layers"]:
            source = values[layer["source"]]
            if "twice_then" in layer:
                source = np.concatenate([np.repeat(source, 2, axis=1), values[layer["twice_then"]]])
            w, b = (part.astype(np.float64) for part in weights[layer["name"]])
            padded = np.pad(source, ((0, 0), (layer["padding"], layer["padding"])))
            length = source.shape[1] // layer["stride"]
            y = np.array([[b[o] + sum((w[o, :, q] * padded[:, j * layer["stride"] + q * layer["dilation"]]).sum()
                                      for q in range(layer["kernel"])) for j in range(length)]
                          for o in range(layer["out"])])
            values[layer["name"]] = np.maximum(y, 0) if layer["relu"] else y
        out = values["out"]
        expected = np.stack([1 / (1 + np.exp(-np.stack([out[2 * m], out[2 * m + 1]], axis=1).ravel()))
                             for m in range(3)])
        np.testing.assert_allclose(net.probabilities(size, weights, x[None], dtype=torch.float64)[0], expected,
                                   atol=1e-9)
        np.testing.assert_allclose(net.probabilities(size, weights, x[None])[0], expected, atol=1e-5)

    def test_the_shipped_model_says_what_it_was_made_of(self):
        header = json.loads(MODEL.read_text())
        self.assertEqual(header["weights_number"], net.count_of(tuple(header["size"]))[0])
        self.assertEqual({s["set"] for s in header["sets"]}, set(data.SETS))
        self.assertTrue(all(s["licence"] and s["cite"] for s in header["sets"]))
        self.assertIn("LUDB, each lead, local averages", header["out_of_fold"]["tables"])
        self.assertEqual(header["input"], model.rounded(model.INPUT))
        self.assertEqual(header["decoding"], model.rounded(decode.CONSTANTS))
        self.assertEqual(header["confidence"]["constants"], confidence.CONSTANTS)
        for wave, regression in model.regressions_of(header).items():
            self.assertEqual(len(regression.weights), len(confidence.NAMES[wave]))
            self.assertTrue((regression.scale > 0).all())


class Confidence(unittest.TestCase):
    def test_the_level_of_a_line_is_the_mean_of_its_ends(self):
        masks = np.tile(np.arange(320.0) / 320, (1, 1, 3, 1))
        fiducials = np.full((1, 1, 9), np.nan)
        fiducials[0, 0, [0, 2]] = np.array([40, 60.5]) - windows.R_INDEX
        levels = confidence.mask_levels(masks, fiducials)[0, 0]
        self.assertAlmostEqual(levels[0], 50.25 / 320)
        self.assertTrue(np.isnan(levels[1:]).all())

    def test_means_around_a_beat(self):
        values = np.arange(30.0)
        values[12] = np.nan
        found = confidence.mean_around(values)
        self.assertEqual(found[0], np.mean(np.arange(1, 9)))
        self.assertAlmostEqual(found[10], (np.arange(2, 19).sum() - 10 - 12) / 15)
        self.assertAlmostEqual(confidence.mean_around(values, itself=True)[10], (np.arange(2, 19).sum() - 12) / 16)
        self.assertTrue(np.isnan(confidence.mean_around(np.array([5.0]))[0]))

    def test_amplitudes_and_activity(self):
        window = np.zeros((2, 320))
        window[:, 80:91] = 0.2  # P
        window[:, 180:200] = -0.4  # T
        window[1, 40:60] = 0.1 * np.where(np.arange(20) % 2, 1, -1)
        fused = np.tile(np.array([80, 85, 90, 118, 125, 135, 175, 190, 205.0]) - windows.R_INDEX, (2, 1))
        np.testing.assert_allclose(amplitudes.wave_amplitudes(window, fused, fused), [[0.2, -0.4]] * 2)
        rr = np.array([9999.0, 170])  # the T wave of the first beat ends at 35 in the second window
        activity = amplitudes.tq_activity(window, rr, fused, fused)
        self.assertEqual(activity[0], 0)
        self.assertAlmostEqual(activity[1], 0.1 * np.sqrt(20 / 44), places=3)
        none = np.full_like(fused, np.nan)
        self.assertTrue(np.isnan(amplitudes.wave_amplitudes(window, none, fused)).all())
        self.assertTrue(np.isnan(amplitudes.tq_activity(window, rr, none, fused)).all())

    def test_p_waves_are_compared_with_all(self):
        single = np.zeros((1, 5, 320))
        single[0, :, 80:112] = np.sin(np.linspace(0, np.pi, 32)) * np.array([0.1, 0.3, 0.2, 0.1, -0.1])[:, None]
        fused = np.full((5, 9), np.nan)
        fused[:, [0, 2]] = np.array([80, 111]) - windows.R_INDEX
        fused[3] = np.nan
        found = amplitudes.p_similarity(single, fused)
        np.testing.assert_allclose(found, [1, 1, 1, np.nan, -1])

    def test_a_regression_finds_what_it_was_made_of(self):
        rng = np.random.default_rng(5)
        x = rng.normal(size=(40000, 2)) * [2, 0.1] + [3, -1]
        p = 1 / (1 + np.exp(-(0.7 + 1.5 * (x[:, 0] - 3) / 2 - 0.8 * (x[:, 1] + 1) / 0.1)))
        y = (rng.random(len(x)) < p).astype(float)
        weight = np.where(rng.random(len(x)) < 0.5, 1.0, 3.0)
        found = confidence.Regression.fit(x, y, weight)
        np.testing.assert_allclose([*found.weights, found.bias], [1.5, -0.8, 0.7], atol=0.06)
        np.testing.assert_allclose([*found.mean, *found.scale], [3, -1, 2, 0.1], atol=0.03)
        missing = found(np.array([[3.5, np.nan], [np.nan, np.nan]]))
        self.assertAlmostEqual(missing[0], found(np.array([[3.5, found.mean[1]]]))[0])
        self.assertTrue(np.isnan(missing[1]))

    def test_found_waves_are_looked_up_in_the_reference(self):
        wave = lambda number, onset, offset: [number, onset, (onset + offset) / 2, offset]
        rows = np.array([row for r in (500, 1000, 1500) for row in (
            wave(0, r - 90, r - 40), wave(1, r - 20, r + 20), wave(2, r + 100, r + 180))], float)
        record = data.Record("ludb", "r", "r", 500.0, np.zeros((1, 2000)), np.array([500.0, 1000, 1500]), [rows])
        outcome = types.SimpleNamespace(record=record, windows=types.SimpleNamespace(r=np.array([500.0, 1000, 1250])))
        fused = np.tile(np.array([-45, -33, -20, -10, 0, 10, 50, 70, 90.0]), (3, 1))  # values of two samples
        fused[1, :3] = np.nan
        known = calibration.truth(outcome, fused, np.array([0]))
        self.assertEqual(known[data.P].tolist(), [1, -1, 0])  # not found; and before a false R peak
        self.assertEqual(known[data.QRS].tolist(), [1, 1, 0])
        self.assertEqual(known[data.T].tolist(), [1, 1, 0])
        rhythm = data.Record("irhythm", "r", "r", 500.0, None, None, episodes=[(0, 700, "NSR"), (700, 1100, "AFIB")])
        outcome.record = rhythm
        self.assertEqual(calibration.truth(outcome, fused, np.array([0]))[data.P].tolist(), [1, 0, -1])

    def test_false_r_peaks_lie_between_beats(self):
        record = data.Record("ludb", "r", "r", 500.0, None, np.arange(1, 101) * 400.0)
        found = calibration.with_false_r(record, 3)
        false = np.setdiff1d(found, record.r)
        self.assertTrue(20 < len(false) < 50)
        self.assertGreaterEqual(np.abs(false[:, None] - record.r).min(), 125)


class Training(unittest.TestCase):
    def write_record(self, folder, name, seed):
        """Writes 8 s in twelve leads, and returns their labels."""
        rng = np.random.default_rng(seed)
        t = np.arange(8 * RATE) / RATE
        r = np.arange(0.5, 7.6, 0.8) + rng.uniform(-0.03, 0.03, 9)
        waves = [(symbol, at + offset, half) for at in r
                 for symbol, offset, half in (("p", -0.16, 0.045), ("N", 0, 0.045), ("t", 0.28, 0.09))]
        shape = sum(bell(t, at, half / 2.2, {"p": 0.12, "N": 1.0, "t": 0.25}[symbol]) for symbol, at, half in waves)
        x = np.stack([shape * (1 - 0.06 * lead) for lead in range(12)], axis=1) + rng.normal(size=(len(t), 12)) * 0.005
        wfdb.wrsamp(name, fs=RATE, units=["mV"] * 12, sig_name=list(data.LEADS), p_signal=x, fmt=["16"] * 12,
                    write_dir=str(folder))
        marks = [[int(place * RATE), text] for symbol, at, half in waves
                 for place, text in ((at - half, "("), (at, symbol), (at + half, ")"))]
        return {"waves": {lead: marks for lead in data.LEADS}}

    def options(self, steps):
        return types.SimpleNamespace(size=SIZE, folds=2, steps=steps, batch=16, averages=0.2, noise=0.2, seed=1,
                                     device=torch.device("cpu"), nets=None)

    def train(self, parts, steps):
        torch.manual_seed(1)
        return train_waves.train(parts, self.options(steps))[0]

    def test_a_training_learns_and_is_repeatable(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            labels = {f"r{k}": self.write_record(folder, f"r{k}", k) for k in range(4)}
            (folder / "labels.json").write_text(json.dumps(labels))
            records = data.read([folder])
        self.assertEqual([record.name for record in records], ["r0", "r1", "r2", "r3"])
        data.assign_folds(records, 2, 1)
        self.assertEqual(sorted(record.fold for record in records), [0, 0, 1, 1])
        ready = [train_waves.prepared(record, k) for k, record in enumerate(records)]
        parts = [(*part, np.full(len(part[0]), record.fold)) for record, (_, part) in zip(records, ready)]
        nets = self.train(parts, 150)
        table, _, confidences = train_waves.figures_of([windows for windows, _ in ready], nets, self.options(150))
        self.assertGreater(table["LUDB, each lead, local averages"]["QRS F1"][0], 90)
        scores = confidences["QRS"]["scores"]["all, false R peaks"]
        self.assertGreater(scores["AUROC"][0], 0.8)
        self.assertLess(scores["Brier"][0], 0.15)
        first, second = ([net.flat_weights(SIZE, w) for w in self.train(parts, 3)] for _ in range(2))
        np.testing.assert_array_equal(first, second)
        self.assertEqual(len(first), 3)  # without each of the two folds, and one trained on everything

    def test_a_folder_without_records_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            done = subprocess.run([sys.executable, str(ROOT / "scripts/train_waves"), name, "--device", "cpu"],
                                  capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no annotated records", done.stderr)


if __name__ == "__main__":
    suite.main()
