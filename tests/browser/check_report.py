#!/usr/bin/env python3
"""Checks report.html in headless Chromium, as a reader uses it:

  - nothing fails, and nothing leaves the page;
  - every figure shows something;
  - everything that can be clicked does what it says;
  - the page can be read without scripts.

check_report.py PROGRAM SOURCE            makes results with PROGRAM from the checkout SOURCE, and checks their pages
check_report.py PROGRAM SOURCE RESULT...  checks the pages of these results

The exit status is 77 (skipped) where no Chromium is installed."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import find_chromium  # noqa: E402
from page_checks import PageChecks, opened  # noqa: E402
from recordings import fibrillation, twelve_leads, with_a_gap  # noqa: E402
from stored_result import Result  # noqa: E402


class HostileNames(unittest.TestCase):
    """Checks the page of a file and a column whose names are markup."""

    def test_names_are_text(self):
        count_alerts = "window.alerts = 0; window.alert = () => { ++window.alerts; };"
        with opened(self.result.page, before=count_alerts) as browser:
            self.assertEqual(browser.run("window.alerts"), 0)
            self.assertEqual(browser.run("document.images.length"), 0)
            self.assertEqual(browser.run("document.scripts.length"), 2)
            self.assertEqual(browser.run("find('h1').textContent"), "<img src=x onerror=alert(1)>.csv")
            self.assertIn("</script><script>alert(2)</script>", browser.run("document.body.innerText"))

    def test_a_script_that_came_in_nevertheless_is_not_run(self):
        count_alerts = "window.alerts = 0; window.alert = () => { ++window.alerts; };"
        with opened(self.result.page, before=count_alerts) as browser:
            browser.run("""(() => {
                const script = document.createElement('script'), part = document.createElement('div');
                script.textContent = 'alert(3)';
                part.innerHTML = '<img src="data:," onerror="alert(4)">';
                document.body.append(script, part);
                return pause(100);
            })()""")
            self.assertEqual(browser.run("window.alerts"), 0)


class SeveralLeads(unittest.TestCase):
    """Checks the page of a recording of three leads."""

    def test_each_lead_has_its_place(self):
        names = [lead["name"] for lead in self.result.summary["input"]["leads"]]
        self.assertEqual(len(names), 3)
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("data.leads.map((lead) => lead.name)"), names)
            labels = browser.run("findAll('#overview .live .plot-label').map((label) => label.textContent)")
            for name, label in zip(names, labels):
                self.assertTrue(label.startswith(name), label)
            self.assertEqual(browser.run("findAll('#strip .lead-name').map((name) => name.textContent)"), names)
            self.assertEqual(browser.run("findAll('#strip .trace').length"), 3)
            rows = browser.run("findAll('#quality .row-name').map((name) => name.textContent)")
            self.assertEqual(len(rows), 4)
            for name, row in zip(["any lead", *names], rows):
                self.assertTrue(name.startswith(row.removesuffix("…")), row)
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
            cards = browser.run("findAll('.card').map((card) => "
                                "[Number(card.dataset.beat), find('.lead-tag b', card).textContent])")
        leads = self.result.summary["input"]["leads"]
        for beat, lead in cards:
            self.assertEqual(lead, leads[int(self.result.beats[beat]["lead"])]["name"])


class ShortRecordings(unittest.TestCase):
    """Checks the page of ten seconds."""

    def test_the_page_fits(self):
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("findAll('#overview .live .plot-label').length"), 2)  # and no heart rate
            self.assertEqual(browser.run("timePlots.filter((plot) => plot.mark && !plot.mark.hidden).length"), 0)
            self.assertLessEqual(browser.run("viewer.drawnTo"), 10.5)
            text = browser.run("find('#verdict').innerText")
            self.assertIn("With few beats", text)
            self.assertIn("cannot be told from 10 s", text)


class TwelveLeads(unittest.TestCase):
    """Checks the page of ten seconds of twelve leads, with a run of V beats."""

    def test_all_leads_are_shown(self):
        names = [lead["name"] for lead in self.result.summary["input"]["leads"]]
        self.assertEqual(len(names), 12)
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("findAll('#strip .trace').length"), 12)
            self.assertEqual(browser.run("findAll('#strip .lead-name').map((name) => name.textContent)"), names)

    def test_what_was_found_and_that_there_is_no_model(self):
        with opened(self.result.page) as browser:
            text = browser.run("find('#verdict').innerText")
            self.assertIn("ventricular", text)
            self.assertIn("wide", text)
            self.assertIn("No model was trained", text)
            self.assertEqual(browser.run("findAll('#latents').length"), 0)
            self.assertNotIn("reconstruction", browser.run("find('#gallery .legend').innerText"))
        for beat in self.result.beats:
            if beat["kind"] == "V":
                self.assertEqual(beat["anomalous"], "1")


class Fibrillation(unittest.TestCase):
    """Checks the page of a recording with atrial fibrillation."""

    def test_it_is_told(self):
        with opened(self.result.page) as browser:
            self.assertIn("atrial fibrillation for", browser.run("find('#verdict').innerText"))
            self.assertIn("atrial", browser.run("data.episodes.rows.map(([group]) => group)"))
            browser.run("findAll('.findings a.see').find((link) => /fibrillation/.test(link.textContent)).click()")
            self.assertGreater(browser.run("viewer.drawnTo - viewer.drawnFrom"), 5)


class GapsAndHealth(unittest.TestCase):
    """Checks the page of a healthy recording with a gap of six seconds from 60 s on."""

    def test_nothing_is_found(self):
        with opened(self.result.page) as browser:
            text = browser.run("find('#verdict').innerText")
            self.assertIn("no atrial fibrillation found", text)
            for word in ("tachycardia", "asystole", "pause of", "ventricular"):
                self.assertNotIn(word, text)

    def test_the_gap_is_no_line(self):
        with opened(self.result.page) as browser:
            self.assertEqual(browser.run("data.leads[0].low.findIndex(Number.isNaN)"), 15_000)
            browser.run("chooseStretch(58, 68)")
            self.assertEqual(browser.run("find('#strip .trace').getAttribute('d').split('M').length - 1"), 2)


class NarrowAndPrinted(unittest.TestCase):
    """Checks that the page fits a telephone and paper."""

    def test_nothing_is_wider_than_the_screen(self):
        with opened(self.result.page, width=420) as browser:
            self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), 420)
            tall = "findAll('.tile .value').filter((value) => value.getBoundingClientRect().height > 40).length"
            self.assertEqual(browser.run(tall), 0, "a figure takes two lines")

    def test_it_can_be_printed(self):
        with opened(self.result.page) as browser:
            printed = browser.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
            self.assertGreater(len(printed), 50_000)
            browser.call("Emulation.setEmulatedMedia", media="print")
            inside = "getComputedStyle(find('#strip')).breakInside"
            self.assertEqual(browser.run(inside), "avoid", "the heading of a strip stays with it")


class DarkScreens(unittest.TestCase):
    def test_the_page_is_dark_and_paper_white(self):
        background = "getComputedStyle(document.body).backgroundColor"
        with opened(self.result.page, dark=True) as browser:
            red, green, blue = map(int, browser.run(background).removeprefix("rgb(").rstrip(")").split(","))
            self.assertLess(red + green + blue, 120)
            dark = [{"name": "prefers-color-scheme", "value": "dark"}]
            browser.call("Emulation.setEmulatedMedia", media="print", features=dark)
            self.assertEqual(browser.run(background), "rgb(255, 255, 255)")


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"beatscan {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}")


def write_episodes(folder):
    """Writes some episodes of half an hour."""
    episodes = [(299.2, 301.5, "VT", 8, 181), (304, 306, "NOISE", 0, ""), (400, 700, "AFIB", 420, 84),
                (900, 960, "STACH", 90, 104), (1463, 1463.6, "V2", 2, 140), (1500, 1502.3, "PAUSE", 2, 26)]
    with open(os.path.join(folder, "episodes.csv"), "w") as file:
        file.write("start_s,end_s,start_sample,end_sample,label,beats,rate_bpm,confidence,quality\n")
        for start, end, label, beats, rate in episodes:
            file.write(f"{start},{end},{start * 360:.0f},{end * 360:.0f},{label},{beats},{rate},0.9,good\n")


def make_results(program, source, folder):
    """Makes the results to check: at full rate with a truth, in bins, without a rate, with names that are markup, and
    of three leads, of ten seconds, of twelve leads, of atrial fibrillation, and of health with a gap."""
    data = os.path.join(source, "data", "mitdb_205")
    short = ("--device", "cpu", "--set", "vae.epochs=2")
    names = ("short", "bins", "seed", "hostile", "leads", "ten", "twelve", "af", "healthy")
    out = {name: os.path.join(folder, name) for name in names}
    run(program, "run", data + ".csv", "--rate", 360, "--truth", data + ".truth.csv", *short, "--out", out["short"])
    write_episodes(out["short"])
    run(program, "report", out["short"])
    run(program, "run", data + ".csv", "--config", "seed", *short, "--out", out["seed"])
    long = os.path.join(folder, "long.csv")
    run(program, "generate", "--samples", 2_500_000, "--out", long)
    run(program, "run", long, "--rate", 250, *short, "--out", out["bins"])
    hostile = os.path.join(folder, "<img src=x onerror=alert(1)>.csv")
    with open(data + ".csv") as file, open(hostile, "w") as copy:
        copy.write("</script><script>alert(2)</script>\n" + "".join(file.readlines()[1:100_001]))
    run(program, "run", hostile, "--rate", 360, *short, "--out", out["hostile"])
    three = os.path.join(folder, "three.csv")
    with open(data + ".csv") as file, open(three, "w") as copy:
        copy.write('II,V1,"V5, <img src=x onerror=alert(1)>"\n')
        for i, line in enumerate(file.readlines()[1:100_001]):
            value = float(line)
            copy.write(f"{value},{-0.7 * value:.4f},{0 if 30_000 < i < 45_000 else 1.2 * value:.4f}\n")
    run(program, "run", three, "--rate", 360, "--set", "ingest.leads=[\"0\",\"1\",\"2\"]", *short,
        "--out", out["leads"])
    ten = os.path.join(folder, "ten.csv")
    with open(data + ".csv") as file, open(ten, "w") as copy:
        copy.write("".join(file.readlines()[:3601]))
    run(program, "run", ten, "--rate", 360, *short, "--out", out["ten"])
    for name, write in (("twelve", twelve_leads), ("af", fibrillation)):
        recording = os.path.join(folder, name + ".csv")
        write(source, recording)
        run(program, "run", recording, "--rate", 360, *short, "--out", out[name])
    whole, gap = os.path.join(folder, "whole.csv"), os.path.join(folder, "gap.csv")
    run(program, "generate", "--samples", 50_000, "--abnormal", 0, "--out", whole)
    with_a_gap(whole, gap)
    run(program, "run", gap, "--rate", 250, *short, "--out", out["healthy"])
    return {name: Result(path) for name, path in out.items()}


def suite_for(results, all_checks):
    suite, load = unittest.TestSuite(), unittest.defaultTestLoader.loadTestsFromTestCase
    for name, result in results.items():
        suite.addTests(load(type("Page_" + name, (PageChecks, unittest.TestCase), {"result": result})))
    for name, checks in (("hostile", HostileNames), ("short", DarkScreens), ("ten", ShortRecordings),
                         ("leads", SeveralLeads), ("twelve", TwelveLeads), ("af", Fibrillation),
                         ("healthy", GapsAndHealth), ("short", NarrowAndPrinted)) if all_checks else ():
        checks.result = results[name]
        suite.addTests(load(checks))
    return suite


def main():
    if not find_chromium():
        print("skipped: no Chromium; install one: apt-get install chromium-headless-shell", file=sys.stderr)
        sys.exit(77)
    program, source, *given = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="beatscan-pages-") as folder:
        results = {os.path.basename(os.path.normpath(path)): Result(path) for path in given}
        results = results or make_results(program, source, folder)
        outcome = unittest.TextTestRunner().run(suite_for(results, not given))
    sys.exit(not outcome.wasSuccessful())


if __name__ == "__main__":
    main()
