#!/usr/bin/env python3
"""Compares beatscan.analyse with the program's files, on the CPU and, where there is one, on a GPU.

It tests what lies in BEATSCAN_BUILD (build/). It needs PyTorch of the version that the program was built with, NumPy and
pandas; without them the test is skipped (status 77).
"""
import ast
import filecmp
import os
import pydoc
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path

from skipped import skip

try:
    import numpy as np
    import pandas
    import torch
except ImportError as error:
    skip(f"{sys.executable} has no {error.name}")

from program import BUILD, ROOT, beatscan, needed_version  # noqa: E402

sys.path.insert(0, str(ROOT / "scripts" / "python"))
os.environ.setdefault("BEATSCAN_EMBEDDED", str(BUILD / "libbeatscan_embedded.so"))
import beatscan as package  # noqa: E402
from beatscan import analyse, errors, read, score  # noqa: E402

FEW = {"vae_epochs": 2}  # epochs, so that a run is short
SAMPLES = 60_000  # of data/, 167 s
SAME = ("beats.csv", "episodes.csv", "templates.csv", "abnormal.csv", "model.safetensors")


class Analysis(unittest.TestCase):
    device = "cpu"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = Path(cls.folder.name)
        cls.x = np.loadtxt(ROOT / "data" / "mitdb_205.csv", skiprows=1, dtype=np.float32)[:SAMPLES]
        np.save(cls.path / "one.npy", cls.x)
        cls.two = np.stack([cls.x, -0.5 * np.roll(cls.x, 3)])
        np.save(cls.path / "two.npy", cls.two)
        cls.programs = {}
        for name in ("one", "two"):
            out = cls.path / f"{name}-program"
            beatscan("run", cls.path / f"{name}.npy", "--rate", 360, "--device", cls.device, "--set", "vae.epochs=2", "--out", out)
            cls.programs[name] = out

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def assert_programs(self, result, name):
        for file in SAME:
            self.assertTrue(filecmp.cmp(result.folder / file, self.programs[name] / file, shallow=False), file)

    def test_arrays_of_every_kind_give_the_programs_files(self):
        for kind, x in (("numpy", self.x), ("float64", self.x.astype(np.float64)), ("torch", torch.from_numpy(self.x)),
                        ("list", self.x.tolist()), ("series", pandas.Series(self.x))):
            with self.subTest(kind):
                self.assert_programs(analyse(x, 360, device=self.device, **FEW), "one")

    def test_numbers_of_numpy_are_options(self):
        few = {key: np.array(value)[()] if not isinstance(value, str) else value for key, value in FEW.items()}
        self.assert_programs(analyse(self.x, 360, device=self.device, **few), "one")

    def test_the_configuration_may_tell_the_rate_of_an_array(self):
        self.assert_programs(analyse(self.x, ingest_sample_rate_hz=360, device=self.device, **FEW), "one")
        second = analyse(self.two, config="seed", device=self.device, vae_epochs=1, ingest_leads=np.array([1]))
        np.testing.assert_array_equal(second.signal[0], self.two[1])
        published = analyse(self.x, config="seed", device=self.device, vae_epochs=1)  # it counts in samples
        self.assertIsNone(published.rate_hz)
        self.assertGreater(len(published.beats), 0)

    def test_masked_samples_are_missing(self):
        mask = np.arange(SAMPLES) % 20_000 < 200
        for x in (self.x, np.round(1000 * self.x).astype(np.int16)):
            missing = analyse(np.ma.masked_array(x, mask), 360, device=self.device, **FEW).summary["input"]["missing"]
            self.assertEqual((missing["samples"], missing["gaps"]), (600, 3))

    def test_a_tensor_of_bfloat16_is_read(self):
        x = torch.from_numpy(self.x).bfloat16()
        result = analyse(x, 360, device=torch.device(self.device), **FEW)
        np.testing.assert_array_equal(result.signal[0], x.float().numpy())

    def test_leads_are_rows_or_columns_of_a_table(self):
        self.assert_programs(analyse(self.two, 360, device=self.device, **FEW), "two")
        self.assert_programs(analyse(self.two.T, 360, device=self.device, **FEW), "two")
        self.assert_programs(analyse(self.x[:, None], 360, device=self.device, **FEW), "one")
        self.assert_programs(analyse(pandas.DataFrame(self.two.T), 360, device=self.device, **FEW), "two")
        table = pandas.DataFrame({"I": self.two[0], "II": self.two[1]})
        result = analyse(table, 360, device=self.device, **FEW)
        self.assertTrue(filecmp.cmp(result.folder / "beats.csv", self.programs["two"] / "beats.csv", shallow=False))
        self.assertEqual([lead["name"] for lead in result.summary["input"]["leads"]], ["I", "II"])
        for leads in ("II", 1, ["II"], [1], np.int64(1), np.array([1])):
            second = analyse(table, 360, leads=leads, device=self.device, **FEW)
            self.assertEqual(second.signal.shape, (1, SAMPLES))
            np.testing.assert_array_equal(second.signal[0], self.two[1])

    def test_a_name_that_two_columns_have_chooses_none(self):
        table = pandas.DataFrame(self.two.T, columns=["II", "II"])
        with self.assertRaisesRegex(errors.UsageError, "the column 'II' stands there twice"):
            analyse(table, 360, leads="II", device=self.device, **FEW)
        np.testing.assert_array_equal(analyse(table, 360, leads=0, device=self.device, **FEW).signal[0], self.two[0])
        for leads in (2, -3, 1.5, [None]):
            with self.assertRaises(errors.UsageError):
                analyse(table, 360, leads=leads, device=self.device, **FEW)

    def test_columns_of_a_table_are_chosen_as_those_of_a_file(self):
        times = np.arange(SAMPLES) / 360
        table = pandas.DataFrame({"time": times, "ppg": np.sin(times), "ECG": self.x, "ECG_Rate": 70.0, "note": "x"})
        result = analyse(table, device=self.device, **FEW)
        self.assertEqual((result.rate_hz, result.signal.shape), (360, (1, SAMPLES)))
        np.testing.assert_array_equal(result.signal[0], self.x)
        with self.assertRaisesRegex(errors.UsageError, "'ecg' is not among the columns"):
            analyse(table, leads="ecg")
        with self.assertRaisesRegex(errors.UsageError, "the table: sampling rate unknown: give rate_hz"):
            analyse(table[["ECG"]], device=self.device)
        with self.assertRaisesRegex(errors.InputError, "the table:9: .*; ingest_on_bad='nan'"):
            analyse(table.assign(ECG=np.where(np.arange(SAMPLES) == 7, np.inf, self.x)), device=self.device)

    def test_an_index_of_times_tells_rate_and_start(self):
        index = pandas.date_range("2026-01-01 10:00", periods=SAMPLES, freq="4ms")
        for x in (pandas.DataFrame({"ppg": self.x, "ECG": self.x}, index), pandas.Series(self.x, index)):
            result = analyse(x, device=self.device, **FEW)
            self.assertEqual((result.rate_hz, result.summary["input"]["start"]["time_of_day"]), (250, "10:00:00.000"))
        chosen = analyse(pandas.DataFrame({"ppg": self.x, "ECG": -self.x}, index), leads=0, device=self.device, **FEW)
        np.testing.assert_array_equal(chosen.signal[0], self.x)

    def test_times_count_where_columns_are_numbers(self):
        kept = np.ones(SAMPLES, bool)
        kept[10_000:10_250] = False
        index = pandas.date_range("2026-01-01 10:00", periods=SAMPLES, freq="4ms")
        for times in (index, np.arange(SAMPLES) * 0.004, pandas.Index(np.arange(SAMPLES) * 4, name="time_ms")):
            result = analyse(pandas.DataFrame(self.two.T, times)[kept], device=self.device, **FEW)
            self.assertEqual((result.rate_hz, result.signal.shape), (250, (2, SAMPLES)))
        np.testing.assert_array_equal(analyse(pandas.DataFrame(self.two.T, index), leads=1, device=self.device, **FEW).signal[0], self.two[1])

    def test_rows_that_were_taken_out_are_told(self):
        table = pandas.DataFrame({"ECG": np.where(np.arange(SAMPLES) % 20_000 == 500, np.nan, self.x)})
        of_floats = table.set_axis(np.arange(SAMPLES, dtype=float)).dropna()
        for x in (table.dropna(), table["ECG"].dropna(), pandas.DataFrame(table.to_numpy()).dropna(),
                  table.dropna().rename_axis("sample"), of_floats):
            with self.assertWarnsRegex(UserWarning, r"the index jumps from 499 to 501 \(3 such places\)"):
                analyse(x, 360, device=self.device, **FEW)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            for x in (table, table[100:], table[::2]):
                analyse(x, 360, device=self.device, **FEW)
        self.assertFalse([str(warning.message) for warning in told if "index" in str(warning.message)])

    def test_a_path_gives_the_programs_files(self):
        self.assert_programs(analyse(self.path / "one.npy", 360, device=self.device, **FEW), "one")

    def test_a_result_has_tables_and_outlives_nothing_of_the_call(self):
        result = analyse(self.x, 360, device=self.device, **FEW)
        folder = result.folder
        self.assertEqual(len(result.beats), result.summary["beats"]["found"])
        self.assertEqual(int((result.beats.anomalous == 1).sum()), len(result.abnormal))
        np.testing.assert_array_equal(result.signal[0], self.x)
        kept = result.save(self.path / "kept")
        page = result.report(self.path / "page.html")
        self.assertIn("</html>", page.read_text())
        del result
        self.assertFalse(folder.exists())
        again = read(kept)
        pandas.testing.assert_frame_equal(again.beats, read(self.programs["one"]).beats)

    def test_a_result_of_rhythm_is_shown(self):
        np.savetxt(self.path / "beats.csv", 300 * np.arange(100), "%d", header="sample", comments="")
        beatscan("rhythm", self.path / "beats.csv", "--rate", 360, "--out", out := self.path / "rhythm")
        self.assertEqual(repr(read(out)), f"<beatscan.Result: 100 beats, in {out}>")

    def test_score_uses_the_model(self):
        model = self.programs["one"] / "model.safetensors"
        result = score(self.x, model, 360, device=self.device)
        np.testing.assert_array_equal(result.beats.score, read(self.programs["one"]).beats.score)
        np.testing.assert_array_equal(score(self.x, read(self.programs["one"]), 360, device=self.device).beats.score, result.beats.score)

    def test_errors_are_of_their_kind(self):
        with self.assertRaisesRegex(errors.UsageError, "sampling rate unknown.* rate_hz"):
            analyse(self.x)
        with self.assertRaisesRegex(errors.UsageError, "vae_epochs is a number.* and not <object"):
            analyse(self.x, 360, vae_epochs=object())
        for words, arguments in {
            "unknown key 'vae_epohcs'; did you mean 'vae_epochs'": {"vae_epohcs": 3},
            "did you mean 'vae_epochs'": {"epochs": 3},
            "^vae_epochs: 0 is not in the range": {"vae_epochs": 0},
            "there is no argument sampling_rate: it is named rate_hz": {"sampling_rate": 360},
            "rate_hz is a number of samples a second, and not '360 Hz'": {"rate_hz": "360 Hz"},
            "rate_hz is a number of samples a second, and not nan": {"rate_hz": float("nan")},
            "rate_hz is a number of samples a second, and not inf": {"rate_hz": float("inf")},
            "^rate_hz: 0.36 is not in the range": {"rate_hz": 0.36},
            '^device: "gpu" is not one of': {"device": "gpu"},
        }.items():
            with self.subTest(words), self.assertRaisesRegex(errors.UsageError, words):
                analyse(self.x, **{"rate_hz": 360, "device": self.device, **arguments})
        with self.assertRaisesRegex(errors.UsageError, "and not of type NoneType"):
            analyse(None, 360)
        with self.assertRaisesRegex(errors.UsageError, "model is needed"):
            score(self.x, None, 360)  # which would train a model
        with self.assertRaisesRegex(errors.UsageError, r"not object; x.astype\(float\)"):
            analyse([1.0, None, 2.0], 360)
        with self.assertRaisesRegex(errors.UsageError, "not a Record of wfdb: give x.p_signal with rate_hz=x.fs"):
            analyse(types.SimpleNamespace(p_signal=self.x[:, None], fs=360), 360)
        with self.assertRaisesRegex(errors.UsageError, "is a folder, and analyse.. reads one recording"):
            analyse(self.path, 360)
        with self.assertRaisesRegex(errors.InputError, "nothing.csv"):
            analyse(self.path / "nothing.csv", 360)
        with self.assertRaisesRegex(errors.UnanalysableError, "flat"):
            analyse(np.zeros(5000), 360, device=self.device)
        with self.assertRaisesRegex(errors.InputError, "summary.json"):
            read(self.path)
        (self.path / "damaged").mkdir()
        (self.path / "damaged" / "summary.json").write_text("{")
        with self.assertRaisesRegex(errors.InputError, "summary.json: is damaged"):
            read(self.path / "damaged").summary
        self.assertTrue(issubclass(errors.UsageError, ValueError) and issubclass(errors.InputError, package.Error))

    def test_an_earlier_result_is_replaced_if_that_is_asked_for(self):
        out = self.path / "twice"
        beats = len(analyse(self.x, 360, device=self.device, out=out, **FEW).beats)
        with self.assertRaisesRegex(errors.OutputError, "exists; give force=True to replace it, or another out$"):
            analyse(self.x[:30_000], 360, device=self.device, out=out, **FEW)
        again = package.analyze(self.x[:30_000], 360, device=self.device, out=out, force=True, **FEW)
        self.assertLess(len(again.beats), beats)

    def test_messages_are_in_words_of_python(self):
        for text, words in {"x.csv: a; choose some: --set ingest.leads=0,1": "x.csv: a; choose some: leads=[0, 1]",
                            "vae.csv: b; --lead NAME chooses another": "vae.csv: b; leads='NAME' chooses another",
                            "a; --lead NAME chooses another, --set ingest.leads=NAME,NAME several":
                                "a; leads='NAME' chooses another, leads=['NAME', 'NAME'] several",
                            "have 40 % of the beats (templates.csv), so": "have 40 % of the beats (result.templates), so",
                            "(173 ms by its slopes, templates.csv)": "(173 ms by its slopes, result.templates)",
                            "(a decimal comma? --set ingest.decimal=,)": "(a decimal comma? ingest_decimal=',')",
                            "between blanks? --set 'ingest.delimiter= ')": "between blanks? ingest_delimiter=' ')",
                            "--set ingest.skip_lines=3)": "ingest_skip_lines=3)"}.items():
            self.assertEqual(errors.in_words_of_python(text), words)

    def test_help_and_editors_see_all_names(self):
        self.assertEqual(set(package.__all__), {*package.MODULES, *package.NAMES})
        self.assertIn("analyse(x_or_path", pydoc.render_doc(package, renderer=pydoc.plaintext))
        told = {name.name for node in ast.walk(ast.parse(Path(package.__file__).read_text()))
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("beatscan") for name in node.names}
        self.assertEqual(told, set(package.__all__))

    def test_reasons_to_doubt_are_warnings(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            result = analyse(self.x[:4000], 360, device=self.device, **FEW)  # eleven seconds
        self.assertTrue(result.warnings)
        self.assertEqual([str(each.message) for each in told if each.category is UserWarning], result.warnings)

    def test_pages_and_copies_that_cannot_be_written(self):
        result = analyse(self.x, 360, device=self.device, out=self.path / "paged", **FEW)
        page = self.path / "paged" / "report.html"
        self.assertEqual(result.report(), page)
        self.assertEqual(result.report(page), page)
        for path in (self.path, self.path / "nowhere" / "page.html"):
            with self.assertRaisesRegex(errors.OutputError, "cannot be written"):
                result.report(path)
        with self.assertRaisesRegex(errors.OutputError, "paged: exists"):
            result.save(self.path / "paged")

    def test_a_strip_shows_leads_and_beats(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("there is no matplotlib")
        matplotlib.use("Agg")
        result = analyse(self.two, 360, device=self.device, **FEW)
        axes = result.plot_strip(20, seconds=6)
        self.assertEqual(len(axes.lines), 2)
        self.assertEqual(axes.get_xlim(), (17, 23))
        shown = result.beats[(result.beats.r_peak_s >= 17) & (result.beats.r_peak_s < 23)]
        self.assertEqual([text.get_text() for text in axes.texts], shown.kind.tolist())
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()], ["lead 0", "lead 1"])
        self.assertEqual(result.plot_strip(pandas.Timedelta(seconds=20), seconds=6).get_xlim(), (17, 23))
        with self.assertRaisesRegex(errors.UsageError, "t is a number of seconds, and not '4:55'"):
            result.plot_strip("4:55")
        table = pandas.DataFrame({"II (mV)": self.two[0]})
        self.assertEqual(analyse(table, 360, device=self.device, **FEW).plot_strip(20).get_ylabel(), "II (mV)")
        with self.assertRaisesRegex(errors.UsageError, "within the recording"):
            result.plot_strip(1e6)
        with self.assertRaisesRegex(errors.UsageError, "seconds = 0"):
            result.plot_strip(20, seconds=0)


@unittest.skipUnless(torch.cuda.is_available(), "no GPU")
class AnalysisOnAGpu(Analysis):
    device = "cuda"

    def test_a_tensor_on_the_gpu(self):
        self.assert_programs(analyse(torch.from_numpy(self.x).cuda(), 360, device="cuda", **FEW), "one")

    def test_an_array_of_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("CuPy is not installed")
        self.assert_programs(analyse(cupy.asarray(self.two), 360, device="cuda", **FEW), "two")


if __name__ == "__main__":
    if not torch.__version__.startswith(needed_version()):
        skip(f"PyTorch is {torch.__version__}, and the program was built with {needed_version()}")
    unittest.main()
