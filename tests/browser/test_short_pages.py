#!/usr/bin/env python3
"""Checks the report pages of ten seconds, of atrial fibrillation, and of a healthy recording with a gap."""
import unittest

from page_checks import opened, run_pages
from results import healthy_with_a_gap, ten_seconds, with_fibrillation


class ShortRecordings(unittest.TestCase):
    """Checks the page of ten seconds."""

    def test_the_page_fits(self):
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("findAll('#overview .plot-label').length"), 2)  # and no heart rate
            self.assertEqual(browser.run("timePlots.filter((plot) => plot.mark && !plot.mark.hidden).length"), 0)
            self.assertLessEqual(browser.run("viewer.drawnTo"), 10.5)
            text = browser.run("find('#verdict').innerText")
            self.assertIn("With few beats", text)
            self.assertIn("is too short to exclude it", text)


class Fibrillation(unittest.TestCase):
    """Checks the page of a recording with atrial fibrillation."""

    def test_it_is_said(self):
        with opened(self.result.page) as browser:
            self.assertIn("atrial fibrillation for", browser.run("find('#verdict').innerText"))
            self.assertIn("atrial", browser.run("groupsIn().map(([group]) => group)"))
            shades = "['.of-beat', '.of-mark'].map((entry) => !find(entry).hidden)"
            self.assertEqual(browser.run(shades), [True, False], "the legend is that of the chosen beat")
            browser.run("findAll('.findings a.see').find((link) => /fibrillation/.test(link.textContent)).click()")
            self.assertEqual(browser.run(shades), [False, True], "the legend is that of the finding")
            self.assertGreater(browser.run("viewer.drawnTo - viewer.drawnFrom"), 5)


class GapsAndHealth(unittest.TestCase):
    """Checks the page of a healthy recording with a gap of six seconds from 60 s on."""

    def test_nothing_is_found(self):
        with opened(self.result.page) as browser:
            text = browser.run("find('#verdict').innerText")
            self.assertIn("no atrial fibrillation found", text)
            for word in ("tachycardia", "asystole", "pause of", "fibrillation for"):
                self.assertNotIn(word, text)

    def test_the_gap_is_no_line(self):
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("data.leads[0].low.findIndex(Number.isNaN)"), 15_000)
            browser.run("chooseStretch(58, 68)")
            self.assertEqual(browser.run("find('#strip .trace').getAttribute('d').split('M').length - 1"), 2)


if __name__ == "__main__":
    run_pages({"ten": ten_seconds, "fibrillation": with_fibrillation, "healthy": healthy_with_a_gap},
              {ShortRecordings: "ten", Fibrillation: "fibrillation", GapsAndHealth: "healthy"})
