#!/usr/bin/env python3
"""Checks the list of a batch, index.html, in headless Chromium: its order, its width, and names that are markup."""
import csv
import pathlib
import sys
import tempfile
import unittest

import page_checks
from chromium import Page, find_chromium
from results import HALF_AN_HOUR, ROOT, beatscan, rows_of_data

sys.path.insert(0, str(ROOT / "tests" / "python"))
import suite  # noqa: E402


class CohortList(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not find_chromium():
            raise unittest.SkipTest("needs Chromium (Debian: chromium-headless-shell)")
        cls.folder = tempfile.TemporaryDirectory(prefix="beatscan-list-")
        cls.addClassCleanup(cls.folder.cleanup)
        path = pathlib.Path(cls.folder.name)
        calm, bad = path / "<img src=x onerror=alert(1)>.csv", path / "bad.csv"
        calm.write_text("heartbeats\n" + "".join(rows_of_data(0, 20_000)))
        bad.write_text("heartbeats\n1\nx\n")
        cls.out = path / "out"
        try:
            beatscan("run", calm, HALF_AN_HOUR, bad, "--rate", 360, "--device", "cpu", "--set", "vae.epochs=1", "-q",
                     "--out", cls.out)
        except RuntimeError as error:
            assert "status 7" in str(error), error  # a part failed
        with open(cls.out / "cohort.csv") as file:
            cls.rows = list(csv.DictReader(file))

    def setUp(self):
        self.browser = Page(page_checks.the_browser(), width=1400)
        self.browser.__enter__()
        self.addCleanup(self.browser.__exit__, None, None, None)
        self.browser.call("Page.addScriptToEvaluateOnNewDocument",
                          source="window.alerts = 0; window.alert = () => { ++window.alerts; };")
        self.browser.open(self.out / "index.html")

    def names(self):
        return self.browser.run("findAll('tbody').map((part) => find('th', part).firstChild.textContent)")

    def test_the_most_severe_come_first(self):
        self.assertEqual(self.names(), ["bad", "mitdb_205", "<img src=x onerror=alert(1)>"])
        self.assertEqual(self.browser.run("window.alerts + document.images.length"), 0)
        self.assertIn("failed: ", self.browser.run("find('.failed .remark').textContent"))

    def test_the_table_fits(self):
        self.assertLessEqual(self.browser.run("find('.scroll').scrollWidth - find('.scroll').clientWidth"), 0)

    def test_a_heading_sorts(self):
        self.browser.run("findAll('thead button').find((button) => button.textContent === 'beats').click()")
        self.assertEqual(self.names()[0], "mitdb_205")
        self.browser.run("findAll('thead button')[0].click()")
        self.assertEqual(self.names(), sorted(self.names(), key=str.lower))
        self.assertEqual(self.browser.run("find('thead th').ariaSort"), "ascending")

    def test_it_has_the_values_of_the_table(self):
        row = next(row for row in self.rows if row["recording"].endswith("mitdb_205.csv"))
        cells = self.browser.run("findAll('tbody').find((part) => part.textContent.includes('mitdb'))"
                                 ".rows[0].textContent")
        for text in (f"{int(row['beats']):,}", row["beats_v"], row["anomalous_in_good_signal"]):
            self.assertIn(text, cells)

    def test_uncertain_fibrillation_has_a_question_mark(self):
        for confidence, text in (("0.3", "25.0 %?"), ("0.7", "25.0 %"), ("null", "25.0 %")):
            cell = self.browser.run("partOf({name: 'x', link: 'x', state: 'complete', remark: '', af_confidence: "
                                    f"{confidence}, values: columns.map(({{key}}) => key === 'af_share' ? 0.25 : null)}})"
                                    ".rows[0].cells[columns.findIndex(({key}) => key === 'af_share') + 1].textContent")
            self.assertEqual(cell, text)

    def test_a_corrected_recording_links_to_both_results(self):
        links = self.browser.run("[...partOf({name: 'x', link: 'x', revised: 'x/revised/', state: 'complete', remark: '', "
                                 "values: []}).querySelectorAll('th a')].map((a) => a.getAttribute('href') + a.textContent)")
        self.assertEqual(links, ["xx", "x/revised/corrected"])

    def test_a_pr_interval_of_few_beats_has_their_number(self):
        for waves, text in (("{share: 0.002, beats: 5}", "138 ms (5)"), ("{share: 0.5, beats: 900}", "138 ms"), ("null", "138 ms")):
            cell = self.browser.run("partOf({name: 'x', link: 'x', state: 'complete', remark: '', p_waves: "
                                    f"{waves}, values: columns.map(({{key}}) => key === 'pr_ms' ? 138 : null)}})"
                                    ".rows[0].cells[columns.findIndex(({key}) => key === 'pr_ms') + 1].textContent")
            self.assertEqual(cell, text)

    def test_a_narrow_screen_says_that_the_table_scrolls(self):
        hint = "getComputedStyle(find('.scroll'), '::before').content"
        self.assertEqual(self.browser.run(hint), "none")
        self.browser.resize(390, 800)
        self.browser.until(f"{hint}.includes('scroll sideways')")
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.assertLessEqual(self.browser.run("find('.remark div').getBoundingClientRect().right"), 390)

    def test_nothing_failed(self):
        for method, said in self.browser.events:
            self.assertNotIn(method, ("Runtime.exceptionThrown", "Log.entryAdded"), said)


if __name__ == "__main__":
    suite.run(unittest.defaultTestLoader.loadTestsFromTestCase(CohortList))
