#!/usr/bin/env python3
"""Compares the PyTorch operators in Python with the program's files, on the CPU and, if there is one, on a GPU.

Tests the build in BEATSCAN_BUILD (build/): beatscan, libbeatscan_embedded.so and the libraries beside them. Needs
PyTorch 2.8 or later; without it the script is skipped.
"""
import csv
import gc
import json
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import suite
from operators_case import OperatorsCase, beatscan_model, beatscan_ops, np, torch
from program import RATE_HZ, beatscan


class Operators(OperatorsCase):
    device = "cpu"

    # --- agreement with the program

    def test_beats_and_rows_are_the_programs(self):
        for result in (self.default, self.seed):
            with self.subTest(result.config):
                r_peaks, quality, blocks = self.ops.find_beats(self.x, RATE_HZ, config=result.config)
                self.assertEqual(r_peaks.dtype, torch.float64)
                samples = np.floor(r_peaks.cpu().numpy() + 0.5).astype(np.int64)
                np.testing.assert_array_equal(samples, [int(row["sample"]) for row in result.beats])
                blocks = blocks if len(blocks) else None
                rows, beats, reference = self.ops.embed_beats(self.x, r_peaks, RATE_HZ, blocks, config=result.config)
                self.assert_same(rows, result.array("embeddings"))
                kept = [i for i, row in enumerate(result.beats) if row["kept"] == "1"]
                self.assert_same(beats, kept)
                self.assertEqual(reference.shape, (2, rows.shape[1]))
                if result.config == "default":
                    names = [beatscan_ops.QUALITY[code] for code in quality.tolist()]
                    self.assertEqual(names, [row["quality"] for row in result.beats])

    def test_response_is_the_programs(self):
        self.assert_same(self.ops.ricker_response(self.x, config="seed"), self.seed.array("response"))

    def test_scores_are_the_programs(self):
        parameters = beatscan_model.load(self.default.model)[0].state_dict()
        for result in (self.default, self.seed):
            with self.subTest(result.config):
                columns = self.ops.score(self.x, RATE_HZ, result.model)
                for name in set(columns) & set(result.beats[0]) - {"quality", "kept", "anomalous", "lead"}:
                    self.assert_same(columns[name], result.column(name), name)
                for name in ("kept", "anomalous"):
                    self.assert_same(columns[name], result.column(name, none=0) == 1, name)
        by_parameters = self.ops.score(self.x, RATE_HZ, parameters)
        self.assert_same(by_parameters["score"], self.default.column("score"))
        fewer = self.ops.score(self.x, RATE_HZ, self.default.model, score_threshold_deviations=25.0)
        self.assertLess(fewer["anomalous"].sum(), by_parameters["anomalous"].sum())

    def test_gaps_are_handled_as_by_the_program(self):
        with_gap = self.x.clone()
        with_gap[70000:70400] = torch.nan
        first = int(self.default.beats[10]["sample"]) + 40
        with_gap[first:first + 20] = torch.nan  # this beat has no row
        before = with_gap.clone()
        columns = self.ops.score(with_gap, RATE_HZ, self.default.model)
        self.assertTrue(torch.equal(with_gap.nan_to_num(-9), before.nan_to_num(-9)), "x is not written to")
        path = Path(self.folder.name) / "gap.csv"
        path.write_text("mV\n" + "\n".join("" if v != v else repr(v) for v in map(float, before.cpu().numpy())) + "\n")
        out = Path(self.folder.name) / "gap"
        beatscan("score", path, "--model", self.default.model, "--rate", RATE_HZ, "--device", self.device, "--out", out,
                 "--force", "-q")
        with open(out / "beats.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(sum(row["kept"] == "0" for row in rows), 0)
        self.assert_same(columns["score"], np.array([float(r["score"] or "nan") for r in rows], dtype=np.float32))

    def two_leads(self):
        """Returns leads by row: x, and x as in another lead, with a gap."""
        other = 0.2 - 0.6 * self.x.roll(4)
        other[100000:103000] = torch.nan
        return torch.stack((self.x, other))

    def test_leads_are_the_programs(self):
        leads = self.two_leads()
        columns = self.ops.score(leads, RATE_HZ, self.default.model)
        path, out = (Path(self.folder.name) / name for name in ("leads.csv", "leads"))
        rows = (("" if v != v else repr(v)) + "," + repr(w) for w, v in leads.T.cpu().tolist())
        path.write_text("V1,II\n" + "\n".join(rows) + "\n")
        beatscan("score", path, "--model", self.default.model, "--rate", RATE_HZ, "--device", self.device, "--out", out,
                 "--set", "ingest.leads=II,V1", "--force", "-q")
        with open(out / "beats.csv", newline="") as file:
            beats = list(csv.DictReader(file))
        for name in ("score", "waveform_score", "noise", "reconstruction_error"):
            expected = np.array([float(beat[name] or "nan") for beat in beats], dtype=np.float32)
            self.assert_same(columns[name], expected, name)
        self.assert_same(columns["lead"], [int(beat["lead"] or -1) for beat in beats])
        self.assertEqual(set(columns["lead"].tolist()) & {0, 1}, {0, 1}, "either lead says most of some beats")

        r_peaks, _, blocks = self.ops.find_beats(leads, RATE_HZ)
        embedded, kept, reference = self.ops.embed_beats(leads, r_peaks, RATE_HZ, blocks)
        self.assertEqual(blocks.shape[0], 2)
        self.assertEqual(embedded.shape, (2, len(kept), 256))
        self.assertEqual(reference.shape, (2, 2, 256))
        away = (100000 < r_peaks[kept]) & (r_peaks[kept] < 103000)
        self.assertGreater(away.sum(), 5)
        self.assertFalse(embedded[0].isnan().any())
        self.assertTrue(embedded[1][away].isnan().all())
        one = self.ops.find_beats(leads[:1], RATE_HZ)
        for found, expected in zip(one, self.ops.find_beats(self.x, RATE_HZ)):
            self.assertTrue(torch.equal(found.flatten(), expected))

    def test_any_number_of_threads_gives_the_same(self):
        expected = self.ops.find_beats(self.x, RATE_HZ)[0]
        threads = torch.get_num_threads()
        try:
            for count in (1, 3):
                torch.set_num_threads(count)
                self.assertTrue(torch.equal(self.ops.find_beats(self.x, RATE_HZ)[0], expected))
        finally:
            torch.set_num_threads(threads)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: self.ops.score(self.x, RATE_HZ, self.default.model), range(12)))
        for columns in found:
            self.assertTrue(torch.equal(columns["r_peak"], expected))
            self.assert_same(columns["score"], self.default.column("score"))

    # --- no data is moved

    def test_the_signal_is_left_alone(self):
        x = self.x.clone()
        torch.manual_seed(3)
        random, version, pointer = torch.get_rng_state(), x._version, x.data_ptr()
        columns = self.ops.score(x, RATE_HZ, self.default.model)
        self.assertTrue(torch.equal(x, self.x))
        self.assertEqual((x._version, x.data_ptr()), (version, pointer))
        self.assertTrue(torch.equal(torch.get_rng_state(), random), "random numbers are the caller's")
        for tensor in columns.values():
            self.assertEqual(tensor.device, x.device)

    def test_arrays_of_others_come_and_go_by_dlpack(self):
        array = self.default.array("signal")
        x = torch.from_dlpack(array)
        self.assertEqual(x.data_ptr(), array.ctypes.data)
        response = self.ops.ricker_response(x, RATE_HZ)
        back = np.from_dlpack(response)
        self.assertEqual(back.ctypes.data, response.data_ptr())
        self.assert_same(self.ops.ricker_response(self.x.cpu(), RATE_HZ), back)

    def test_results_keep_their_memory(self):
        response = self.ops.ricker_response(self.x, RATE_HZ)
        expected, part = response.clone(), response[1000:2000]
        del response
        gc.collect()
        others = [self.ops.ricker_response(self.x + 1, RATE_HZ) for _ in range(3)]
        self.assertTrue(torch.equal(part, expected[1000:2000]))
        self.assertEqual(len({other.data_ptr() for other in others} | {part.data_ptr()}), 4)
        self.assertIsNone(part._base._base if part._is_view() else None, "a result is no view")

    # --- what PyTorch expects of an operator

    def test_schemas_and_shapes_hold(self):
        # Inputs are only read, results are new tensors, and their shapes are inferred correctly.
        checks = ("test_schema", "test_faketensor")
        r_peaks = self.ops.find_beats(self.x, RATE_HZ)[0]
        leads = self.two_leads()
        for operator, arguments in ((self.ops.ricker_response, (self.x, RATE_HZ)),
                                    (self.ops.find_beats, (self.x, RATE_HZ)),
                                    (self.ops.embed_beats, (self.x, r_peaks, RATE_HZ)),
                                    (self.ops.find_beats, (leads, RATE_HZ)),
                                    (self.ops.embed_beats, (leads, r_peaks, RATE_HZ))):
            torch.library.opcheck(operator.default, arguments, test_utils=checks)

    def test_works_within_compiled_code(self):
        def twice_and_one(x):
            return self.ops.ricker_response(x * 2, RATE_HZ) + 1

        compiled = torch.compile(twice_and_one, backend="aot_eager", fullgraph=True)
        self.assertTrue(torch.equal(compiled(self.x), twice_and_one(self.x)))

    def test_the_shape_of_the_response_is_known_without_memory(self):
        x = torch.empty(1000, device="meta")
        for precision in ("float32", "float64"):
            response = self.ops.ricker_response(x, RATE_HZ, filter_precision=precision)
            self.assertEqual((response.shape, response.dtype), (x.shape, getattr(torch, precision)))

    def test_a_batch_of_signals_by_vmap(self):
        x = torch.stack((self.x, self.x.flip(0)))
        expected = torch.stack([self.ops.ricker_response(row, RATE_HZ) for row in x])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch says that it calls the operator for one after the other
            self.assertTrue(torch.equal(torch.vmap(lambda row: self.ops.ricker_response(row, RATE_HZ))(x), expected))

    def test_what_does_not_serve_is_refused_with_a_reason(self):
        r_peaks = self.ops.find_beats(self.x, RATE_HZ)[0]
        for reason, call in {
            "x: is of Double": lambda: self.ops.find_beats(self.x.double(), RATE_HZ),
            "x: has no values": lambda: self.ops.find_beats(self.x[:0], RATE_HZ),
            "x: is not contiguous": lambda: self.ops.find_beats(self.x[::2], RATE_HZ),
            "x: has 5 dimensions": lambda: self.ops.find_beats(self.x.view(1, 1, 1, 2, -1), RATE_HZ),
            "blocks: is of Long": lambda: self.ops.embed_beats(self.x, r_peaks, RATE_HZ, torch.zeros(3, dtype=int, device=self.device)),
            "filter_width_s: is inf": lambda: self.ops.ricker_response(self.x, RATE_HZ, filter_width_s=float("inf")),
            "x: has 3 dimensions": lambda: self.ops.find_beats(self.x.view(1, 2, -1), RATE_HZ),
            "x: has 2 dimensions": lambda: self.ops.ricker_response(self.x.view(2, -1), RATE_HZ),
            "x: has 2 leads, and the published": lambda: self.ops.find_beats(self.x.view(2, -1), config="seed"),
            "rate_hz": lambda: self.ops.find_beats(self.x),
            "resample": lambda: self.ops.find_beats(self.x, 3.0),
            "detect.keep: 99": lambda: self.ops.find_beats(self.x, RATE_HZ, detect_keep=99.0),
            "in seconds and in samples": lambda: self.ops.ricker_response(
                self.x, RATE_HZ, filter_width_s=0.1, filter_width_samples=30.0),
            "r_peaks: ": lambda: self.ops.embed_beats(self.x, r_peaks.flip(0), RATE_HZ),
            "cannot be read": lambda: self.ops.score(self.x, RATE_HZ, "no such file"),
            "is missing": lambda: self.ops.score(self.x, RATE_HZ, {"sigma.alpha": torch.ones(1)}),
        }.items():
            with self.subTest(reason), self.assertRaisesRegex(ValueError, reason):
                call()
        with self.assertRaisesRegex(RuntimeError, "x: flat"):
            self.ops.find_beats(torch.zeros_like(self.x), RATE_HZ)
        with self.assertRaisesRegex(RuntimeError, "detect_kep"):
            self.ops.find_beats(self.x, RATE_HZ, detect_kep=1.0)

    # --- the model in PyTorch

    def test_the_model_file_loads_into_a_pytorch_module(self):
        try:
            from safetensors import safe_open
            from safetensors.torch import load_file
        except ImportError:
            print("safetensors is not installed: the file is read by scripts/python/beatscan/model.py alone")
            load_file = None
        for result in (self.default, self.seed):
            # By default, PyTorch rounds the inputs of convolutions to 10 bits on a GPU.
            with self.subTest(result.config), torch.no_grad(), torch.backends.cudnn.flags(allow_tf32=False):
                model, config = beatscan_model.load(result.model)
                if load_file:
                    model.load_state_dict(load_file(result.model), strict=True)
                    with safe_open(result.model, framework="pt") as file:
                        self.assertEqual(json.loads(file.metadata()["config"]), config)
                rows = torch.from_numpy(result.array("embeddings")).to(self.device)
                model.to(self.device)
                mean, log_variance = model.encode(rows)
                # float32 in another order of summation; latents are of the order of 1.
                np.testing.assert_allclose(mean.cpu(), result.array("latents"), rtol=1e-3, atol=2e-4)
                error = (model.decode(mean) - rows).square().mean(1).cpu()
                kept = [row for row in result.beats if row["kept"] == "1"]
                expected = np.array([float(row["reconstruction_error"]) for row in kept])
                np.testing.assert_allclose(error, expected, rtol=2e-3, atol=1e-5)
                kl = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1).cpu()
                expected = np.array([float(row["kl"] or "inf") for row in kept])
                usual = expected < 1e3  # far from the training beats KL grows as exp of the encoder's output
                self.assertGreater(usual.mean(), 0.9)
                np.testing.assert_allclose(kl[usual], expected[usual], rtol=2e-3, atol=1e-4)


@unittest.skipUnless(torch.cuda.is_available(), suite.NEEDS_GPU)
class OperatorsOnGpu(Operators):
    device = "cuda"

    def test_memory_is_that_of_the_results_alone(self):
        def requested(which):
            return torch.cuda.memory_stats()[f"requested_bytes.all.{which}"]

        x = self.x.repeat(26_000_000 // len(self.x))
        self.ops.ricker_response(x, RATE_HZ)
        torch.cuda.synchronize()
        before = requested("current")
        torch.cuda.reset_peak_memory_stats()
        response = self.ops.ricker_response(x, RATE_HZ)
        self.assertLess(requested("peak") - before, response.nbytes + x.nbytes, "with a copy of the signal it is more")
        self.assertEqual(requested("current") - before, response.nbytes)
        del response
        columns = self.ops.score(x, RATE_HZ, self.default.model)
        self.assertGreater(len(columns["score"]), 100_000)
        del columns
        self.assertEqual(requested("current"), before, "nothing is kept")

    def test_work_is_on_the_current_stream(self):
        expected = self.ops.ricker_response(self.x, RATE_HZ)
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x = torch.zeros_like(self.x)
            torch.cuda._sleep(100_000_000)
            x.copy_(self.x)  # this copy is not done when the operator is called
            response = self.ops.ricker_response(x, RATE_HZ)
        stream.synchronize()
        self.assertTrue(torch.equal(response, expected))

    def test_both_devices_find_the_same(self):
        r_peaks, quality, blocks = self.ops.find_beats(self.x, RATE_HZ)
        for on_gpu, on_cpu in zip((r_peaks, quality, blocks), self.ops.find_beats(self.x.cpu(), RATE_HZ)):
            self.assertTrue(torch.equal(on_gpu.cpu(), on_cpu))
        with self.assertRaisesRegex(ValueError, "r_peaks: is on cpu"):
            self.ops.embed_beats(self.x, r_peaks.cpu(), RATE_HZ)

    def test_cupy_arrays_come_and_go_by_dlpack(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("needs a GPU with CuPy")
        array = cupy.asarray(self.default.array("signal"))
        x = torch.from_dlpack(array)
        self.assertEqual(x.data_ptr(), array.data.ptr)
        response = self.ops.ricker_response(x, RATE_HZ)
        back = cupy.from_dlpack(response)
        self.assertEqual(back.data.ptr, response.data_ptr())
        self.assert_same(self.ops.ricker_response(self.x, RATE_HZ), cupy.asnumpy(back))
        rows = self.ops.embed_beats(x, *self.ops.find_beats(x, RATE_HZ)[:1], RATE_HZ)[0]
        self.assertEqual(cupy.from_dlpack(rows).shape, tuple(rows.shape))


if __name__ == "__main__":
    suite.main()
