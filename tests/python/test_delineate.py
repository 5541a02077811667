#!/usr/bin/env python3
"""Compares beatscan.delineate with the waves of beatscan.analyse, and with an ECG whose waves are known, on the CPU and,
if there is one, on a GPU; see analysis_case.py.
"""
import types

from analysis_case import FEW, SAMPLES, AnalysisCase, main, needs_gpu
import numpy as np
import pandas
import torch
from beatscan import analyse, delineate, errors, read
from beatscan.result import WAVE_COLUMNS

TIMES = ("p_onset", "p_peak", "p_end", "qrs_onset", "qrs_end", "t_peak", "t_end")  # also in tables of results
INTERVALS = ("pr_ms", "qrs_ms", "qt_ms", "qtc_ms")


def drawn_ecg(rate_hz=250, seconds=40, rr_s=0.9, without_qrs=()):
    """Returns an ECG in mV whose P and T waves peak 160 ms before and 280 ms after R, and its R peaks in seconds."""
    time_s, x = np.arange(int(seconds * rate_hz)) / rate_hz, 0.0
    r_s = np.arange(0.6, seconds - 0.6, rr_s)
    kept = ~np.isin(np.arange(len(r_s)), without_qrs)
    for waves_at, centre, width, height in ((r_s, -0.160, 0.022, 0.15), (r_s[kept], -0.028, 0.009, -0.1), (r_s[kept], 0, 0.0115, 1.2),
                                            (r_s[kept], 0.028, 0.010, -0.25), (r_s[kept], 0.280, 0.045, 0.3)):
        for at in waves_at:
            x = x + height * np.exp(-0.5 * ((time_s - at - centre) / width) ** 2)
    return x + 0.005 * np.random.RandomState(5).randn(len(time_s)), r_s


class Delineate(AnalysisCase):
    def delineate(self, x, rate_hz=360, *more, **options):
        return delineate(x, rate_hz, *more, device=self.device, **options)

    def assert_waves(self, waves, table, rate_hz=360):
        """Requires the waves of a result's table, whose times are in seconds with three or more digits."""
        self.assertEqual(waves["beat"].tolist(), table["beat"].tolist())
        for name in TIMES:
            samples = (table[f"{name}_s"] * rate_hz).to_numpy()
            found = waves[name].to_numpy(float, na_value=np.nan)
            np.testing.assert_array_equal(np.isnan(found), np.isnan(samples), name)
            inside = (samples > 0) & (samples < SAMPLES)
            np.testing.assert_allclose(found[inside], samples[inside], atol=0.51, err_msg=name)
        numbers = {*INTERVALS, *WAVE_COLUMNS, "p_mv", "t_mv"} & set(waves) & set(table)
        self.assertGreater(len(numbers), 5)
        for name in numbers:  # they have one decimal, or three: the last one may be rounded the other way
            np.testing.assert_allclose(waves[name], table[name], atol=0.11 if name in INTERVALS else 0.0011, err_msg=name)

    def test_waves_are_those_of_a_result(self):
        for name, x in (("one", self.x), ("two", self.two)):
            with self.subTest(name):
                result = read(self.programs[name])
                self.assertGreater(result.waves["p_onset_s"].notna().sum(), 100)
                waves = self.delineate(x)
                self.assert_waves(waves, result.waves)
                np.testing.assert_array_equal(waves["sample"], result.beats["sample"])
                self.assert_waves(self.delineate(x, 360, result.beats["r_peak_s"] * 360), result.waves)

    def test_waves_of_leads_are_those_of_a_result(self):
        result = analyse(self.two, 360, device=self.device, output_waves=True, **FEW)
        waves = self.delineate(self.two, by_lead=True)
        self.assertEqual(waves["lead"].tolist(), result.waves["lead"].tolist())
        self.assert_waves(waves, result.waves)

    def test_waves_are_where_they_were_drawn(self):
        for rate_hz in (60, 250, 1000, 5000):
            x, r_s = drawn_ecg(rate_hz)
            with self.subTest(rate_hz):
                waves = self.delineate(x, rate_hz, np.round(r_s * rate_hz)).iloc[2:-2]
                r_peaks = waves["sample"] / rate_hz
                # A window has a value every 4 ms; of the smooth waves only the peaks are sharply defined.
                np.testing.assert_allclose(waves["p_peak"].astype(float) / rate_hz - r_peaks, -0.160, atol=0.016)
                np.testing.assert_allclose(waves["t_peak"].astype(float) / rate_hz - r_peaks, 0.280, atol=0.020)
                self.assertTrue(waves["qrs_ms"].between(60, 120).all())
                for wave in ("p", "qrs", "t"):
                    self.assertTrue(waves[f"{wave}_confidence"].between(0.9, 1).all(), wave)
                self.assertTrue((waves["qt_ms"] - waves["qt_ms"].median()).abs().max() < 20)
                for first, second in zip(("p_onset", "p_peak", "p_end", "qrs_onset", "sample", "qrs_end", "t_onset", "t_peak"),
                                         ("p_peak", "p_end", "qrs_onset", "sample", "qrs_end", "t_onset", "t_peak", "t_end")):
                    self.assertTrue((waves[first] <= waves[second]).all(), f"{first} {second}")

    def test_p_waves_without_a_qrs_complex(self):
        x, r_s = drawn_ecg(seconds=60, without_qrs=(7, 15, 23, 31, 39, 47))
        given = np.delete(r_s, (7, 15, 23, 31, 39, 47)) * 250
        waves = self.delineate(x, 250, given)
        found = waves.attrs["non_conducted_p"]
        self.assertGreaterEqual(len(found), 5)
        for onset, end in found:
            middle_s = (onset + end) / 2 / 250
            self.assertLess(np.abs(r_s[[7, 15, 23, 31, 39, 47]] - 0.160 - middle_s).min(), 0.03)

    def test_arrays_and_tables_of_every_kind(self):
        expected = self.delineate(self.two, by_lead=True)
        for kind, x in (("columns", self.two.T), ("float64", self.two.astype(np.float64)), ("torch", torch.from_numpy(self.two)),
                        ("torch columns", torch.from_numpy(self.two.T)), ("list", self.two.tolist()),
                        ("masked", np.ma.masked_array(self.two, np.zeros(self.two.shape, bool))), ("table", pandas.DataFrame(self.two.T))):
            with self.subTest(kind):
                pandas.testing.assert_frame_equal(self.delineate(x, by_lead=True), expected)
        series = pandas.Series(self.x)
        pandas.testing.assert_frame_equal(self.delineate(series), self.delineate(self.x[None]))
        gap = self.x.copy()
        gap[9000:12000] = np.nan
        missing = self.delineate(gap)
        self.assertFalse(missing["sample"].between(9010, 11990).any())

    def test_leads_are_chosen_by_name_or_position(self):
        table = pandas.DataFrame({"I": self.two[0], "V5": self.two[1]})
        by_lead = self.delineate(table, by_lead=True)
        self.assertEqual(by_lead["lead"][:4].tolist(), ["I", "V5", "I", "V5"])
        second = self.delineate(self.two[1])
        for leads in ("V5", 1, ["V5"], np.array([1])):
            pandas.testing.assert_frame_equal(self.delineate(table, leads=leads), second)
        pandas.testing.assert_frame_equal(self.delineate(self.two, leads=1), second)
        for leads, words in (("V6", r"'V6' is not among \['I', 'V5'\]"), (2, "2 is not among"), (-1, "-1 is not among"),
                             (["I", "I"], "'I' is asked for twice"), (["I", 0], "0 is asked for twice"), ([], "leads is empty")):
            with self.assertRaisesRegex(errors.UsageError, words):
                self.delineate(table, leads=leads)
        with self.assertRaisesRegex(errors.UsageError, "'II' stands there twice"):
            self.delineate(pandas.DataFrame(self.two.T, columns=["II", "II"]), leads="II")

    def test_beats_in_poor_signal_have_no_waves(self):
        noisy = self.x[:30_000].copy()
        noisy[9000:15_000] += np.random.RandomState(3).randn(6000).astype(np.float32)
        result, waves = analyse(noisy, 360, device=self.device, **FEW), self.delineate(noisy)
        poor = result.beats["quality"] != "good"
        self.assertGreater(poor.sum(), 10)
        self.assertLess(poor.sum(), len(poor) / 2)
        self.assertEqual(waves["qrs_onset"][poor].notna().sum(), 0)
        self.assert_waves(waves, result.waves)

    def test_a_single_beat_has_waves(self):
        x, r_s = drawn_ecg()
        waves = self.delineate(x, 250, [round(r_s[10] * 250)])
        self.assertEqual(len(waves), 1)
        self.assertTrue(np.isnan(waves["qtc_ms"][0]), "no RR interval is known")
        self.assertTrue(60 < waves["qrs_ms"][0] < 120)

    def test_options_are_those_of_the_configuration(self):
        x, _ = drawn_ecg()
        bazett = self.delineate(x, 250, waves_qtc="bazett").iloc[5]
        hodges = self.delineate(x, 250, waves_qtc="hodges").iloc[5]
        self.assertAlmostEqual(bazett["qtc_ms"], bazett["qt_ms"] / 0.9 ** 0.5, delta=1)
        self.assertAlmostEqual(hodges["qtc_ms"], hodges["qt_ms"] + 1.75 * (60 / 0.9 - 60), delta=1)
        fewer = self.delineate(self.x, detect_keep=np.float64(0.9))
        self.assertLess(len(fewer), len(self.delineate(self.x)))

    def test_errors_are_of_their_kind(self):
        for words, arguments in {
            "r_peaks: -1, number 0, is not within the samples 0 to 59999": {"r_peaks": [-1, 400]},
            "r_peaks: 60000, number 1, is not within": {"r_peaks": [400, 60000]},
            "r_peaks: nan, number 1, is not within": {"r_peaks": [400, np.nan]},
            "r_peaks: 400, number 2, is not above the one before it, 800": {"r_peaks": [10, 800, 400]},
            "r_peaks is empty": {"r_peaks": []},
            r"r_peaks are sample numbers \[K\].*dict": {"r_peaks": {"ECG_R_Peaks": [1]}},
            "numpy.flatnonzero": {"r_peaks": np.arange(60_000) % 300 == 0, "_as": int},
            "^rate_hz: 50.0 Hz: R peaks can be found at 60.0 to": {"rate_hz": 50},
            "^rate_hz: 5001 Hz: waves are found at up to 5000 Hz": {"rate_hz": 5001},
            "rate_hz is a number of samples a second, and not '360 Hz'": {"rate_hz": "360 Hz"},
            "^rate_hz: 0.0 is not in the range": {"rate_hz": 0},
            "there is no argument sampling_rate: it is named rate_hz": {"sampling_rate": 360},
            "there is no argument rpeaks: it is named r_peaks": {"rpeaks": [400]},
            "there is no option waves_qt of delineate.*did you mean waves_qtc": {"waves_qt": "bazett"},
            "^waves_qtc: .*bazet": {"waves_qtc": "bazet"},
            "^detect_keep: 99.0 is not in the range": {"detect_keep": 99.0},
            "detect_keep is of type float": {"detect_keep": "much"},
            "the published method finds no waves": {"config": "seed"},
            "no such file": {"config": "no such file"},
            "no such model": {"waves_model": "no such model"},
            '^device: "gpu" is not one of': {"device": "gpu"},
        }.items():
            convert = arguments.pop("_as", None)
            if convert:
                arguments["r_peaks"] = arguments["r_peaks"].astype(convert)
            with self.subTest(words), self.assertRaisesRegex(errors.UsageError, words):
                delineate(self.x, **{"rate_hz": 360, "device": self.device, **arguments})
        for x, words in ((np.zeros((2, 3, 4)), "not of shape"), (None, "not of type NoneType"), (["a", "b"], "samples are real numbers"),
                         (types.SimpleNamespace(p_signal=self.x[:, None], fs=360), "give x.p_signal with rate_hz=x.fs")):
            with self.assertRaisesRegex(errors.UsageError, words):
                self.delineate(x)
        with self.assertRaisesRegex(errors.UnanalysableError, "flat: all samples are"):
            self.delineate(np.zeros(5000))
        with self.assertRaisesRegex(errors.UnanalysableError, "too short: 1 sample"):
            self.delineate([0.5])
        with self.assertRaisesRegex(errors.UnanalysableError, "no beats were found in 5.56 s: is rate_hz right"):
            self.delineate(np.linspace(0, 1, 2000))
        with self.assertRaisesRegex(errors.UnanalysableError, "infinite"):
            self.delineate(np.where(np.arange(5000) == 70, np.inf, self.x[:5000]))
        if not torch.cuda.is_available():
            with self.assertRaisesRegex(errors.DeviceError, "there is no cuda here"):
                delineate(self.x, 360, device="cuda")

    def test_results_without_waves(self):
        published = analyse(self.x, config="seed", device=self.device, vae_epochs=1)
        with self.assertRaisesRegex(errors.InputError, "has no waves"):
            published.waves


@needs_gpu
class DelineateOnAGpu(Delineate):
    device = "cuda"

    def test_both_devices_find_the_same(self):
        on_gpu, on_cpu = self.delineate(self.two), delineate(self.two, 360, device="cpu")
        for name in TIMES:
            np.testing.assert_allclose(on_gpu[name].astype(float), on_cpu[name].astype(float), atol=1.1, err_msg=name)

    def test_a_tensor_on_the_gpu_stays_there(self):
        waves = delineate(torch.from_numpy(self.two).cuda(), 360)
        pandas.testing.assert_frame_equal(waves, self.delineate(self.two))


if __name__ == "__main__":
    main()
