#!/usr/bin/env python3
"""Checks scripts/train_quality: the model file, its output for synthetic leads, and forests as arrays compared with
LightGBM. The required packages are in scripts/classify/requirements.txt."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402

try:
    import lightgbm
    import numpy as np
except ModuleNotFoundError as error:
    suite.skip(f"needs {error.name}")

sys.path.insert(0, str(ROOT / "scripts"))
from quality import features, fibrillation, forest, model, recording  # noqa: E402

MODEL = ROOT / "models/quality.json"
GOOD, NOISE, LOST = range(3)


class Model(unittest.TestCase):
    def test_of_made_leads(self):
        """Noise is noise, a lead-off signal is lost, and most other blocks are good."""
        blocks, calibration, recordings = model.read(MODEL)
        x = model.made_recording(360.0, 2, 60, 1) * model.UNIT_MV
        found = features.features(x, 360.0)
        self.assertEqual(found.shape, (2, 30, len(features.NAMES)))
        p = model.probabilities(blocks, calibration, found)
        np.testing.assert_allclose(p.sum(-1), 1, atol=1e-6)
        self.assertTrue((p[0, 4:7].argmax(-1) == NOISE).all(), p[0, 4:7])  # 8 to 14 s
        self.assertTrue((p[1, 5:8].argmax(-1) == LOST).all(), p[1, 5:8])  # 10 to 16 s
        self.assertTrue((p[:, 18:, GOOD] > 0.5).all(), p[:, 18:, GOOD])  # clean from 36 s on
        whole, clean = (recording.acceptable(recordings, found[:, part], p[:, part])
                        for part in (slice(4, 9), slice(18, 30)))
        self.assertTrue(0 <= whole < clean <= 1, (whole, clean))

    def test_constant_and_missing_leads(self):
        """They have finite features, and are not good."""
        blocks, calibration, _ = model.read(MODEL)
        for lead in (np.zeros(2500), np.full(2500, 0.7), np.full(2500, np.nan)):
            found = features.features(lead[None], 250.0)
            self.assertTrue(np.isfinite(found).all())
            p = model.probabilities(blocks, calibration, found)
            self.assertTrue((p[..., GOOD] < 0.5).all(), p)

    def test_damage_is_found(self):
        document = json.loads(MODEL.read_text())
        document["blocks"]["value"][0][0] += 0.5
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "quality.json"
            file.write_text(json.dumps(document))
            with self.assertRaisesRegex(ValueError, "damaged"):
                model.read(file)


class Fibrillation(unittest.TestCase):
    def test_waves_without_beats(self):
        """Waves of 5 Hz are fibrillation, and beats are none, also beside it and in a second lead."""
        trees, chain = model.read_fibrillation(MODEL)
        x = model.made_recording(250.0, 1, 120, 1)[0] * model.UNIT_MV
        beats = model.made_recording(250.0, 1, 120, 2)[0] * model.UNIT_MV
        t = np.arange(len(x)) / 250
        waves = np.where((t >= 60) & (t < 90), np.sin(2 * np.pi * 5 * t) * (1 + 0.3 * np.sin(2 * np.pi * 0.4 * t)), x)

        def found(*leads):
            real = features.features(np.stack(leads), 250.0)
            good = np.ones(real.shape[:2])
            scores = fibrillation.fused(fibrillation.scores_of(trees, real), good)
            return fibrillation.episodes_of(fibrillation.posteriors([scores], chain)[0], 120.0)
        (start, end), = found(waves)
        self.assertTrue(56 <= start <= 62 and 88 <= end <= 94, (start, end))
        self.assertEqual(found(waves, beats), [])

    def test_chain(self):
        """Posteriors are those of all sequences of states."""
        chain, scores = {"scale": 1.0, "offset": 0.0, "begins": 0.1, "ends": 0.3, "starts": 0.2}, np.array([0.5, 2, -1])
        step, expected = np.array([[0.9, 0.1], [0.3, 0.7]]), np.zeros((3, 2))
        for path in np.ndindex(2, 2, 2):
            p = (0.8, 0.2)[path[0]] * step[path[0], path[1]] * step[path[1], path[2]]
            p *= np.exp(scores[list(map(bool, path))].sum())
            expected[np.arange(3), path] += p
        np.testing.assert_allclose(fibrillation.by_length([scores], chain)[0], (expected / expected.sum(1)[:, None])[:, 1])


class Forests(unittest.TestCase):
    def test_arrays_are_the_trees(self):
        """A forest as arrays, also after writing and reading, scores like LightGBM, and is reproducible."""
        draw = np.random.default_rng(5)
        x = draw.normal(size=(3000, 4)).astype(np.float32)
        label = (x[:, 0] + x[:, 1] * x[:, 2] > 0.3).astype(int) + (x[:, 3] > 1)
        options = {"learning_rate": 0.2, "min_data_in_leaf": 20}
        trees = forest.train(x, label, None, 3, 3, 8, **options)
        settings = {"objective": "multiclass", "num_class": 3, "max_depth": 3, "num_leaves": 8, "deterministic": True,
                    "force_row_wise": True, "use_missing": False, "seed": 1, "verbose": -1, "num_threads": 1, **options}
        booster = lightgbm.train(settings, lightgbm.Dataset(x, label, params={"verbose": -1}), 8)
        np.testing.assert_allclose(trees.scores(x), booster.predict(x, raw_score=True), atol=1e-5)
        read = forest.of_text(json.loads(json.dumps(trees.text())))
        np.testing.assert_allclose(read.scores(x), trees.scores(x), atol=1e-4)
        self.assertEqual(trees.text(), forest.train(x, label, None, 3, 3, 8, **options).text())


if __name__ == "__main__":
    suite.main()
