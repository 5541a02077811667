#!/usr/bin/env python3
"""Checks that a reader corrects a result on its page, and saves, keeps and loads the corrections."""
import json
import os
import pathlib
import tempfile
import time
import unittest

from page_checks import opened, run_pages
from results import beatscan, with_fibrillation

LIST = "corrections.list.map(({one}) => one)"
WORDS = "find('.corrected').textContent"


def number(value):
    return int(value) if float(value).is_integer() else round(value, 6)


class Corrections(unittest.TestCase):
    """Checks the page of three minutes of atrial fibrillation."""

    def setUp(self):
        self.open_page()
        self.normal = next(i for i, beat in enumerate(self.result.beats) if i > 20 and beat["beat_class"] == "N")

    def open_page(self, **options):
        context = opened(self.result.page, **options)
        self.browser = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.run_js = self.browser.run

    def correct(self, beat=None):
        """Shows the tools, and chooses a beat."""
        self.run_js("find('[data-act=correct]').click()")
        self.choose(self.normal if beat is None else beat)

    def choose(self, beat):
        self.run_js(f"chooseBeat({beat}); find('#strip').focus(); broughtIntoView('#strip')")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, **({"text": key} if len(key) == 1 else {}))

    def click(self, selector):
        self.run_js(f"find({selector!r}).click()")

    def click_signal(self, seconds):
        """Clicks into the signal at a time, and returns the time of the sample there."""
        left, top, width, height, start, end = self.run_js(
            "(({x, y, width, height}) => [x, y, width, height, viewer.drawnFrom, viewer.drawnTo])(boxOf('#strip svg.strip'))")
        x, y = round(left + (seconds - start) / (end - start) * width), top + 0.7 * height
        for kind in ("Pressed", "Released"):
            self.browser.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, button="left", clickCount=1)
        return number(round((start + (x - left) / width * (end - start)) * 360) / 360)

    def tap(self, x, y):
        self.browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def time_of(self, beat):
        return number(self.result.position(beat))

    def recording(self):
        its = self.result.summary["input"]
        return {"name": os.path.basename(its["path"]), "sha256": its["sha256"], "samples": its["samples"], "rate_hz": 360}

    def text_of(self, **lists):
        """Returns the file of corrections that has these lists."""
        file = {"format": "beatscan corrections", "version": 1, "recording": self.recording(), **lists}
        return json.dumps(file, indent=1, ensure_ascii=False) + "\n"

    def saved(self):
        with tempfile.TemporaryDirectory() as folder:
            path, end = pathlib.Path(folder) / "corrections.json", time.monotonic() + 10
            self.browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.click("[data-correct=save]")
            while not path.exists() and time.monotonic() < end:
                time.sleep(0.02)
            return path.read_text(encoding="utf-8")

    def load(self, text):
        """Chooses a file of this text, and returns what the page says."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.json"
            path.write_text(text, encoding="utf-8")
            field = self.browser.call("Runtime.evaluate", expression="find('.load input')")["result"]["objectId"]
            self.run_js("corrections.note = null")
            self.browser.call("DOM.setFileInputFiles", files=[str(path)], objectId=field)
            self.browser.until("corrections.note !== null")
        return self.run_js("find('.corrections-note').textContent")

    def test_a_reader_who_does_not_correct_sees_one_button(self):
        self.assertEqual(self.run_js("shownOf('.of-correcting, .corrections, [data-correct]')"), 0)
        self.assertEqual(self.run_js("find('[data-act=correct]').ariaPressed"), "false")
        self.choose(self.normal)
        self.key("3")
        self.assertEqual(self.run_js(LIST), [])
        self.click("[data-act=correct]")
        self.assertGreater(self.run_js("shownOf('.of-correcting')"), 3)
        self.run_js("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.run_js("shownOf('.of-correcting, .corrections, [data-correct]')"), 0)

    def test_corrections_are_saved_restored_and_loaded(self):
        first, second, third = self.normal, self.normal + 2, self.normal + 3
        self.correct(first)
        self.key("3")
        self.choose(third)
        self.key("Delete")
        self.choose(second)
        self.click("[data-place=beat]")
        added = self.click_signal(self.result.position(second) + 0.2)
        self.key("4")
        self.assertIn("added, class F", self.run_js("find('#strip .chosen-text').textContent"))
        self.choose(second)
        self.click("[data-place=noise]")
        end = self.click_signal(self.result.position(second) - 0.1)
        begin = self.click_signal(self.result.position(second) - 0.7)
        self.run_js("find('[data-shape=\"0\"]').value = 'S'; find('[data-shape=\"0\"]')"
                    ".dispatchEvent(new Event('change', {bubbles: true}))")
        label, start, stop = self.run_js("(({label, from, to}) => [label, from, to])(episodes[0])")
        self.click("[data-verdict=rejected]")
        typical = self.run_js("data.templates[0].typical")
        text = self.text_of(
            beats=[{"time_s": self.time_of(first), "beat_class": "V"},
                   {"time_s": added, "action": "insert", "beat_class": "F"},
                   {"time_s": self.time_of(third), "action": "delete"}],
            templates=[{"time_s": self.time_of(typical), "beat_class": "S"}],
            noise=[{"from_s": begin, "to_s": end}],
            episodes=[{"label": label, "from_s": number(start), "to_s": number(stop), "verdict": "rejected"}])
        self.assertEqual(self.saved(), text)

        self.browser.open(self.result.page)
        self.browser.until("document.documentElement.classList.contains('ready')")
        self.assertEqual(self.run_js("correctionsText()"), text)
        self.assertIn("6 corrections are restored", self.run_js("find('.corrections').innerText"))

        self.open_page()  # a browser that has kept nothing
        self.assertTrue(self.run_js("find('.corrections').hidden"))
        self.assertEqual(self.load(text), "")
        self.assertEqual(self.run_js("correctionsText()"), text)
        self.assertEqual(self.run_js(WORDS), "6 corrections")

    def test_the_strip_the_cards_and_the_table_show_them_at_once(self):
        letters = f"find('#strip [data-beat=\"{self.normal}\"]').textContent.includes('V*')"
        self.correct()
        self.assertFalse(self.run_js(letters))
        self.click("[data-class=V]")
        self.assertTrue(self.run_js(letters))
        self.assertEqual(self.run_js("findAll('[data-class]').map((one) => one.ariaPressed)"),
                         ["false", "false", "true", "false", "false"])
        self.assertIn("corrected to class V", self.run_js("find('#strip .chosen-text').textContent"))
        self.click("[data-correct=delete]")
        self.assertEqual(self.run_js("[find('[data-correct=delete]').ariaPressed, findAll('#strip text.deleted').length]"),
                         ["true", 1])
        self.run_js("openFolds(); correctShape(0, 'V')")
        self.assertEqual(self.run_js("find('#shape-0 .kind').textContent"), "V* ventricular")
        chips = self.run_js("findAll('.card').map(({dataset: {beat}}) => beat).filter((beat) => beats.shape(beat) === 0)"
                            ".map((beat) => find(`#beat-${beat} .why .kind`).textContent)")
        self.assertEqual(set(chips), {"V*"})
        rows = self.run_js("findAll('#episode-table tbody tr').length")
        self.run_js("startPlacing('VFL'); placeAt(3600); placeAt(7200); find('[data-verdict=rejected]').click()")
        self.assertEqual(self.run_js("findAll('#episode-table tbody tr').length"), rows + 1)
        self.assertEqual(self.run_js("find('#episode-table tr.added .label').textContent"), "VFL*")
        self.assertEqual(self.run_js("findAll('#episode-table tr.deleted').length"), 1)
        self.assertEqual(self.run_js(WORDS), "4 corrections")

    def test_each_can_be_taken_back(self):
        self.correct()
        for key in "35":
            self.key(key)
        self.assertEqual(self.run_js(LIST), [{"time_s": self.time_of(self.normal), "beat_class": "Q"}])
        self.key("z")
        self.assertEqual(self.run_js(LIST + "[0].beat_class"), "V")
        self.key("1")
        self.assertEqual(self.run_js(LIST), [], "it has its own class again")
        self.run_js("startPlacing('beat'); placeAt(viewer.first + 50); deleteBeat()")
        self.assertEqual(self.run_js(LIST), [], "an added beat is gone when it is deleted")
        self.choose(self.normal)
        self.run_js("correctShape(0, 'V'); correctClass('S')")
        self.click("[data-correct=list]")
        self.assertEqual(self.run_js("shownOf('.corrections li')"), 2)
        self.click("[data-correct=remove]")
        self.assertEqual(self.run_js(LIST + ".map((one) => one.beat_class)"), ["S"])
        self.click("[data-correct=undo]")
        self.assertEqual(self.run_js(LIST + ".map((one) => one.beat_class)"), ["V", "S"])

    def test_noise_can_be_the_stretch_of_a_finding(self):
        self.click("[data-act=correct]")
        self.click(".findings a.see")
        self.click("[data-place=noise]")
        self.assertIn("Click where the noise begins", self.run_js("find('.tools-to-correct').innerText"))
        self.click("[data-correct=stretch]")
        mark = self.run_js("[selection.mark.from, selection.mark.to]")
        self.assertEqual(self.run_js(LIST), [{"from_s": mark[0], "to_s": mark[1]}])
        self.assertGreater(self.run_js("findAll('#strip .noise-wash').length"), 0)
        self.run_js("find('.tools-to-correct select').value = 'AFL'; find('.tools-to-correct select')"
                    ".dispatchEvent(new Event('change'))")
        self.key("Escape")
        self.assertIsNone(self.run_js("corrections.place"), "Escape ends what was begun")

    def test_a_file_by_hand(self):
        at = self.time_of(self.normal)
        near = {"format": "beatscan corrections", "version": 1, "beats": [{"time_s": at + 0.1, "beat_class": "V"}]}
        self.assertEqual(self.load(json.dumps(near)), "")
        self.assertEqual(self.run_js(LIST), [{"time_s": at, "beat_class": "V"}], "it means the nearest beat")
        for change, reason in (
                ({"format": "other"}, "it is no file of corrections of version 1"),
                ({"recording": {"name": "101.csv", "sha256": "ab"}}, "it is of another recording, 101.csv"),
                ({"beats": {}}, "beats must be a list"),
                ({"beats": [*near["beats"], {"time_s": 3, "beat_class": "X"}]}, "beats[1]: beat_class must be N, S, V, F or Q"),
                ({"templates": [{"time_s": 3, "action": "delete"}]}, "templates[0]: action must be delete or insert"),
                ({"noise": [{"from_s": 3, "to_s": 2}]}, "noise[0]: from_s must be before to_s"),
                ({"episodes": [{"label": "VT", "from_s": 2, "to_s": 3, "verdict": "no"}]},
                 "episodes[0]: verdict must be confirmed, rejected or added")):
            self.assertEqual(self.load(json.dumps(near | change)), f"mine.json: {reason}.")
        self.assertTrue(self.load("{").startswith("mine.json: "))
        self.assertEqual(len(self.run_js(LIST)), 1, "a file with a fault changes nothing")

    def test_a_browser_may_keep_nothing(self):
        self.open_page(before="Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied'); }})")
        self.correct()
        self.key("3")
        self.assertEqual(self.run_js(WORDS), "1 correction")
        self.assertIn("does not keep", self.run_js("find('.corrections-note').textContent"))

    def test_touch_on_a_telephone(self):
        self.open_page(width=390, height=800)
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.correct()
        self.assertLessEqual(self.run_js("document.documentElement.scrollWidth"), 390)
        edges = "findAll('.tools-to-correct *').map((part) => part.getBoundingClientRect().right)"
        self.assertLessEqual(max(self.run_js(edges)), 390, "a tool is out of reach")
        box = self.run_js("broughtIntoView('[data-class=V]')")
        self.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.browser.until("corrections.list.length === 1")
        box, seconds = self.run_js("[boxOf('#strip svg.strip'), viewer.seconds()]")
        x = box["x"] + box["width"] * (self.result.position(self.normal + 1) - self.run_js("viewer.drawnFrom")) / seconds
        self.tap(x - 8, box["y"] + 0.7 * box["height"])
        self.browser.until(f"selection.beat === {self.normal + 1}")

    def test_a_revised_result_says_so(self):
        self.assertEqual(self.run_js("revisionWords()"), "")
        self.run_js("data.revision = {beats: 12, inserted: 1, deleted: 0, templates: 2, noise_s: 90, episodes: 2}")
        self.assertEqual(self.run_js("revisionWords()"), " · revised by a reader: 12 beats, 1 added beat, 2 morphologies,"
                         " 2 episodes, 1 min 30 s of noise")
        low, high = self.run_js("[Number(find('#threshold').min), Number(find('#threshold').max)]")
        counts = self.run_js(f"[countAbove({low}), countAbove({high})]")
        self.run_js(f"arrays.flags[{self.normal}] |= 35; arrays.flags[{self.normal + 1}] = arrays.flags[{self.normal + 1}] & ~2 | 33;"
                    f"arrays.flags[{self.normal + 1}] &= ~8; arrays.flags[{self.normal}] &= ~8; chooseBeat({self.normal})")
        self.assertEqual(self.run_js(f"[countAbove({low}), countAbove({high})]"), [counts[0] - 1, counts[1] + 1],
                         "the reader has said which are abnormal")
        self.assertTrue(self.run_js(f"find('#strip [data-beat=\"{self.normal}\"] .score').textContent.startsWith('N*')"))
        self.assertIn("corrected by a reader", self.run_js(f"beatText({self.normal})"))

    def test_what_is_saved_is_revised(self):
        """Corrects on the page, saves, revises, and looks at the page of the revised result."""
        self.correct()
        self.key("3")
        self.choose(self.normal + 2)
        self.key("Delete")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "corrections.json")
            path.write_text(self.run_js("correctionsText()"), encoding="utf-8")
            revised = pathlib.Path(folder, "revised")
            beatscan("revise", pathlib.Path(self.result.page).parent, "--corrections", path, "--out", revised, "-q")
            with opened(revised / "report.html") as browser:
                self.assertEqual(browser.run("[data.revision.beats, data.revision.deleted, beats.count]"),
                                 [1, 1, len(self.result.beats) - 1])
                self.assertEqual(browser.run(f"[beats.beatClass({self.normal}), arrays.flags[{self.normal}] & 34]"), ["V", 34])
                self.assertIn("revised by a reader: 1 beat", browser.run("find('.banner .facts').textContent"))
                self.assertEqual(browser.run("corrections.list"), [], "the page has them already")

    def test_a_revised_page_restores_what_is_not_in_it(self):
        self.correct()
        self.key("1")
        self.run_js(f"addCorrections([beatEntry({self.normal}, {{beat_class: 'N'}}), beatEntry({self.normal + 1}, {{beat_class: 'V'}}),"
                    f"episodeEntry(episodes[0].label, episodes[0].from, episodes[0].to, 'confirmed')]);"
                    "corrections.list = []; data.revision = {beats: 1}; restoreCorrections()")
        self.assertEqual(self.run_js(LIST), [{"time_s": self.time_of(self.normal + 1), "beat_class": "V"}])


if __name__ == "__main__":
    run_pages({"fibrillation": with_fibrillation}, {Corrections: "fibrillation"}, common=False)
