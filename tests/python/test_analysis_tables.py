#!/usr/bin/env python3
"""Compares beatscan.analyse of tables, with named leads and times, with the program's files; see
analysis_case.py.
"""
import filecmp
import warnings

from analysis_case import FEW, SAMPLES, AnalysisCase, main, needs_gpu
import numpy as np
import pandas
from beatscan import analyse, errors


class Tables(AnalysisCase):
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

    def test_an_index_of_times_gives_rate_and_start(self):
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

    def test_removed_rows_are_reported(self):
        table = pandas.DataFrame({"ECG": np.where(np.arange(SAMPLES) % 20_000 == 500, np.nan, self.x)})
        of_floats = table.set_axis(np.arange(SAMPLES, dtype=float)).dropna()
        for x in (table.dropna(), table["ECG"].dropna(), pandas.DataFrame(table.to_numpy()).dropna(),
                  table.dropna().rename_axis("sample"), of_floats):
            with self.assertWarnsRegex(UserWarning, r"the index jumps from 499 to 501 \(3 such places\)"):
                analyse(x, 360, device=self.device, **FEW)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            for x in (table, table[100:], table[::2]):
                analyse(x, 360, device=self.device, **FEW)
        self.assertFalse([str(warning.message) for warning in found if "index" in str(warning.message)])


@needs_gpu
class TablesOnAGpu(Tables):
    device = "cuda"


if __name__ == "__main__":
    main()
