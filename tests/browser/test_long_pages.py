#!/usr/bin/env python3
"""Checks the report pages of half an hour and more, on a screen, a dark one, a telephone and paper."""
import base64
import re
import unittest

from page_checks import opened, run_pages
from results import in_bins, with_episodes


class NarrowAndPrinted(unittest.TestCase):
    """Checks that the page fits a telephone and paper."""

    def test_nothing_is_wider_than_the_screen(self):
        with opened(self.result.page, width=420) as browser:
            self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 420)
            tall = "findAll('.tile .value').filter((value) => value.getBoundingClientRect().height > 40).length"
            self.assertEqual(browser.run(tall), 0, "a figure takes two lines")

    def test_tables_that_are_wider_than_the_screen_say_so(self):
        wide = "findAll('.scroll.wide').map((box) => getComputedStyle(box, '::before').content)"
        with opened(self.result.page, width=390) as browser:
            browser.until("findAll('.scroll.wide').length > 1")
            for hint in browser.run(wide):
                self.assertIn("scroll sideways", hint)
            browser.resize(1280, 900)
            browser.until("findAll('.scroll.wide').length === 0")

    def test_it_can_be_printed(self):
        with opened(self.result.page) as browser:
            printed = browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
            self.assertGreater(len(printed), 50_000)
            pages = re.findall(rb"/Type\s*/Page\b(?!s)", base64.b64decode(printed))
            self.assertEqual(len(pages), 2)


class DarkScreens(unittest.TestCase):
    def test_the_page_is_dark_and_paper_white(self):
        background = "getComputedStyle(document.body).backgroundColor"
        with opened(self.result.page, dark=True) as browser:
            red, green, blue = map(int, browser.run(background).removeprefix("rgb(").rstrip(")").split(","))
            self.assertLess(red + green + blue, 120)
            dark = [{"name": "prefers-color-scheme", "value": "dark"}]
            browser.call("Emulation.setEmulatedMedia", media="print", features=dark)
            self.assertEqual(browser.run(background), "rgb(255, 255, 255)")


class CourseOfIntervals(unittest.TestCase):
    """Checks the page of 2.7 hours, which has the signal at full rate in strips alone."""

    def test_there_is_a_point_for_each_hour(self):
        hours = self.result.summary["waves"]["hours"]
        self.assertEqual(len(hours), 3)
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("findAll('#intervals-trend canvas').length"), 4)
            rows = browser.run("findAll('#intervals-trend tbody tr').map((row) => row.cells[2].textContent)")
            self.assertEqual(rows, [f"{hour['pr_ms']:.0f}" for hour in hours])
            table = browser.run("csvOf('intervals-trend')").splitlines()
            self.assertEqual(len(table), 4)
            self.assertEqual(float(table[1].split(",")[table[0].split(",").index("qt_ms")]), hours[0]["qt_ms"])

    def test_the_longest_qtc_is_a_strip_at_full_rate(self):
        begin = self.result.summary["waves"]["longest_qtc"]["begin_s"]
        with opened(self.result.page) as browser:
            browser.run("find('#intervals .tiles a.see').click()")
            first, last = browser.run("[viewer.drawnFrom, viewer.drawnTo]")
            self.assertTrue(first <= begin + 1 and begin + 9 <= last, f"{first} to {last}")
            self.assertGreater(browser.run("findAll('#strip .wave-letter').length"), 10)
            self.assertTrue(browser.run(f"fullRate(data.leads[0], ({begin} + 1) * unit, ({begin} + 9) * unit).length"))

    def test_waves_are_where_beats_csv_has_them(self):
        with opened(self.result.page) as browser:
            numbers = browser.run("[...arrays.wave_beats]")
            for name in ("p_onset", "p_end", "qrs_onset", "qrs_end", "t_peak", "t_end"):
                offsets = browser.run(f"[...arrays.{name}].map((value) => Number.isNaN(value) ? null : value)")
                for beat, offset in zip(numbers[::7], offsets[::7]):
                    cell = self.result.beats[beat][name + "_s"]
                    self.assertEqual(offset is None, not cell, f"{name} of beat {beat}")
                    if cell:
                        self.assertAlmostEqual(self.result.position(beat) + offset, float(cell), delta=0.0006)


if __name__ == "__main__":
    run_pages({"episodes": with_episodes, "bins": in_bins},
              {NarrowAndPrinted: "episodes", DarkScreens: "episodes", CourseOfIntervals: "bins"})
