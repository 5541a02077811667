#!/usr/bin/env python3
"""Checks the report pages of recordings of three and of twelve leads."""
import unittest

from page_checks import opened, run_pages
from results import ten_seconds_of_twelve_leads, three_leads


def shortened(name):
    return name if len(name) <= 20 else name[:19] + "…"


class SeveralLeads(unittest.TestCase):
    """Checks the page of a recording of three leads."""

    def test_each_lead_has_its_place(self):
        names = [lead["name"] for lead in self.result.summary["input"]["leads"]]
        self.assertEqual(len(names), 3)
        whole, names = names, [shortened(name) for name in names]
        self.assertNotEqual(whole, names, "one name is long")
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("data.leads.map((lead) => lead.name)"), whole)
            labels = browser.run("findAll('#overview .plot-label').map((label) => label.textContent)")
            for name, label in zip(names, labels):
                self.assertTrue(label.startswith(name), label)
            self.assertEqual(browser.run("findAll('#strip .lead-name').map((name) => name.textContent)"), names)
            self.assertEqual(browser.run("findAll('#strip .trace').length"), 3)
            rows = browser.run("findAll('#quality tbody th').map((name) => name.textContent)")
            self.assertEqual(rows, ["any lead", *names])
            self.assertEqual(browser.run("find('#quality tbody tr:last-child th span').title"), whole[2])
            self.assertEqual(browser.run("document.images.length"), 0)

    def test_leads_can_be_chosen(self):
        with opened(self.result.page) as browser:
            pressed = "findAll('.leads button').map((button) => button.ariaPressed)"
            browser.run("findAll('.leads button')[1].click()")
            self.assertEqual(browser.run(pressed), ["true", "false", "true"])
            self.assertEqual(browser.run("findAll('#strip .trace').length"), 2)
            browser.run("findAll('.leads button')[0].click(); findAll('.leads button')[2].click()")
            self.assertEqual(browser.run(pressed), ["true", "true", "true"])

    def test_a_card_is_in_the_lead_that_says_most(self):
        with opened(self.result.page) as browser:
            browser.run("openFolds()")
            cards = browser.run("findAll('.card').map((card) => "
                                "[Number(card.dataset.beat), find('.lead-tag b', card).textContent])")
        leads = self.result.summary["input"]["leads"]
        for beat, lead in cards:
            self.assertEqual(lead, shortened(leads[int(self.result.beats[beat]["lead"])]["name"]))


class TwelveLeads(unittest.TestCase):
    """Checks the page of ten seconds of twelve leads, with a run of V beats."""

    def test_all_leads_are_shown(self):
        names = [lead["name"] for lead in self.result.summary["input"]["leads"]]
        self.assertEqual(len(names), 12)
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("findAll('#strip .trace').length"), 12)
            self.assertEqual(browser.run("findAll('#strip .lead-name').map((name) => name.textContent)"), names)

    def test_the_docked_strip_takes_a_third_of_the_screen(self):
        for width, height in ((1280, 900), (390, 800)):
            with opened(self.result.page, width=width, height=height) as browser:
                browser.run("viewer.closed = false; scrollTo(0, document.body.scrollHeight); chooseBeat(3)")
                browser.until("viewer.docked()")
                strip, paper = browser.run("[boxOf('#strip'), boxOf('#strip .paper')]")
                self.assertLessEqual(strip["height"], height / 3)
                self.assertGreater(paper["height"], 100)
                self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width)
                most = browser.run("boxOf('#strip .lead-name.most')")
                self.assertTrue(paper["top"] <= most["top"] and most["bottom"] <= paper["bottom"], "it scrolls there")

    def test_waves_are_marked_and_can_be_hidden(self):
        with opened(self.result.page) as browser:
            letters = browser.run("findAll('#strip .wave-letter').map((letter) => letter.textContent)")
            self.assertEqual({"P", "QRS", "T"}, set(letters))
            self.assertEqual(letters.count("QRS"), sum(bool(beat["qrs_onset_s"]) for beat in self.result.beats))
            shown = "shownOf('#strip li.waves') + findAll('.wave').filter((wave) => wave.getClientRects().length).length"
            self.assertGreater(browser.run(shown), 10)
            self.assertGreater(browser.run("findAll('.card path.wave-qrs, .shape-card path.wave-qrs').length"), 1)
            browser.run("find('[data-act=waves]').click()")
            self.assertEqual(browser.run("find('[data-act=waves]').ariaPressed"), "false")
            self.assertEqual(browser.run(shown), 0)
            browser.run("find('[data-act=waves]').click(); chooseBeat(3)")
            self.assertGreater(browser.run(shown), 10)
            self.assertRegex(browser.run("find('#strip .chosen-text').textContent"), r"QRS \d+ ms")

    def test_the_number_of_beats_stands_beside_the_pr_interval(self):
        with_pr = sum(beat["beat_class"] == "N" and beat["quality"] == "good" and bool(beat["pr_ms"])
                      for beat in self.result.beats)
        self.assertGreater(with_pr, 2)
        with opened(self.result.page) as browser:
            self.assertIn(f"of {with_pr} beats; ", browser.run("find('#intervals .tile .detail').textContent"))

    def test_the_st_level_of_each_lead_is_shown(self):
        levels = self.result.summary["waves"]["st_mv"]
        with opened(self.result.page) as browser:
            cells = browser.run("findAll('#intervals .numbers td').map((cell) => cell.textContent.replace('−', '-'))")
            self.assertEqual(cells, ["0.00" if abs(level) < 0.005 else f"{level:.2f}" for level in levels.values()])
            self.assertEqual(browser.run("findAll('#intervals figure').length"), 0, "ten seconds have no course")

    def test_what_was_found_and_that_there_is_no_model(self):
        with opened(self.result.page) as browser:
            text = browser.run("find('#verdict').textContent")
            self.assertIn("ventricular", text)
            browser.run("find('.notes-fold').open = true")
            self.assertIn("No model was trained", browser.run("find('#verdict').innerText"))
            self.assertEqual(browser.run("findAll('#latents').length"), 0)
            self.assertNotIn("reconstruction", browser.run("find('#gallery .legend').innerText"))
        for beat in self.result.beats:
            if beat["beat_class"] == "V" and float(beat["p_v"]) > 0.9:
                self.assertEqual(beat["anomalous"], "1")


if __name__ == "__main__":
    run_pages({"three": three_leads, "twelve": ten_seconds_of_twelve_leads}, {SeveralLeads: "three", TwelveLeads: "twelve"})
