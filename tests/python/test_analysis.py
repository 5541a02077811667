#!/usr/bin/env python3
"""Compares beatscan.analyse with the program's files, on the CPU and, if there is one, on a GPU; see
analysis_case.py.
"""
import ast
import pydoc
import types
import warnings
from pathlib import Path

from analysis_case import FEW, SAMPLES, AnalysisCase, main, needs_gpu
import beatscan as package
import numpy as np
import pandas
import torch
from beatscan import analyse, errors, read, score
from program import beatscan


class Analysis(AnalysisCase):
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

    def test_events_are_pairs_or_a_diary(self):
        events = [(60, 'stairs, "fast"'), (np.float32(90.5), "two\nlines")]
        of_pairs = analyse(self.x, 360, device=self.device, events=events, **FEW).summary["events"]
        self.assertEqual([(event["time_s"], event["text"]) for event in of_pairs], [(60, 'stairs, "fast"'), (90.5, "two lines")])
        diary = self.path / "diary.csv"
        diary.write_text("time,text\n12,here\n")
        self.assertEqual(analyse(self.x, 360, device=self.device, events=diary, **FEW).summary["events"][0]["text"], "here")
        for wrong in ([60, 90], 60, [("noon", "meal")], [(np.nan, "x")]):
            with self.assertRaisesRegex(errors.UsageError, "pairs of seconds"):
                analyse(self.x, 360, events=wrong)

    def test_masked_samples_are_missing(self):
        mask = np.arange(SAMPLES) % 20_000 < 200
        for x in (self.x, np.round(1000 * self.x).astype(np.int16)):
            missing = analyse(np.ma.masked_array(x, mask), 360, device=self.device, **FEW).summary["input"]["missing"]
            self.assertEqual((missing["samples"], missing["gaps"]), (600, 3))

    def test_a_tensor_of_bfloat16_is_read(self):
        x = torch.from_numpy(self.x).bfloat16()
        result = analyse(x, 360, device=torch.device(self.device), **FEW)
        np.testing.assert_array_equal(result.signal[0], x.float().numpy())

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

    def test_abnormal_beats_come_the_most_abnormal_first(self):
        path = self.path / "generated.csv"
        beatscan("generate", "--samples", SAMPLES, "--abnormal", 0.1, "--seed", 3, "--out", path, "-q")
        result = analyse(path, 250, device=self.device, **FEW)
        ranked = result.abnormal[result.abnormal["rank"].notna()]
        self.assertGreater(len(ranked), 10)
        self.assertEqual(ranked["rank"].tolist(), list(range(1, len(ranked) + 1)))
        self.assertTrue(ranked["score"].is_monotonic_decreasing)
        self.assertGreater(ranked["score"].iloc[0], ranked["score"].iloc[-1] + 1)
        of_beats = result.beats[(result.beats["anomalous"] == 1) & result.beats["rank"].notna()].sort_values("rank")
        self.assertEqual(ranked["beat"].tolist(), of_beats["beat"].tolist())

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
            "^vae_epochs: -1 is not in the range": {"vae_epochs": -1},
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
        found = {name.name for node in ast.walk(ast.parse(Path(package.__file__).read_text()))
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("beatscan") for name in node.names}
        self.assertEqual(found, set(package.__all__))

    def test_advisories_are_warnings(self):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            silent = np.append(self.x[:4000], np.full(2160, self.x[4000], np.float32))  # for the last six seconds
            result = analyse(silent, 360, device=self.device, **FEW)
        self.assertIn("BS160", [each["id"] for each in result.advisories])
        self.assertEqual([str(each.message) for each in found if each.category is UserWarning],
                         [f"{each['id']} {each['severity']}: {each['message']}" for each in result.advisories
                          if each["severity"] != "info"])

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
            self.skipTest("needs matplotlib")
        matplotlib.use("Agg")
        result = analyse(self.two, 360, device=self.device, **FEW)
        axes = result.plot_strip(20, seconds=6)
        self.assertEqual(len(axes.lines), 2)
        self.assertEqual(axes.get_xlim(), (17, 23))
        shown = result.beats[(result.beats.r_peak_s >= 17) & (result.beats.r_peak_s < 23)]
        self.assertEqual([text.get_text() for text in axes.texts], shown.beat_class.tolist())
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


@needs_gpu
class AnalysisOnAGpu(Analysis):
    device = "cuda"

    def test_a_tensor_on_the_gpu(self):
        self.assert_programs(analyse(torch.from_numpy(self.x).cuda(), 360, device="cuda", **FEW), "one")

    def test_an_array_of_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("needs a GPU with CuPy")
        self.assert_programs(analyse(cupy.asarray(self.two), 360, device="cuda", **FEW), "two")


if __name__ == "__main__":
    main()
