"""Checks of the report page of any result, in headless Chromium, as a reader uses it:

  - nothing fails, and nothing leaves the page;
  - every figure shows something;
  - everything that can be clicked does what it says;
  - without scripts the page says its verdict.
"""

import atexit
import contextlib
import csv
import functools
import os
import pathlib
import sys
import tempfile
import time
import unittest

from chromium import Chromium, Page, find_chromium
from stored_result import Result

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import suite  # noqa: E402

MM = 96 / 25.4  # CSS pixels in a millimetre
MOST_BYTES = 5_000_000
LATEST_PAINT_MS = 3000  # a quiet machine takes 0.2 s; a busy one takes longer
READY = "document.documentElement.classList.contains('ready')"

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "helpers.js")) as _file:
    HELPERS = _file.read()


@functools.cache
def the_browser():
    """Returns the one browser that shows all pages."""
    browser = Chromium(find_chromium())
    atexit.register(browser.close)
    return browser


@contextlib.contextmanager
def opened(page, before="", **options):
    """Opens the page in a browser and waits until it is ready. `before` is a script that runs before the page's own."""
    with Page(the_browser(), **options) as browser:
        if before:
            browser.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        browser.open(page)
        browser.until(READY)
        browser.run(HELPERS)
        yield browser


class PageChecks:
    """Checks of one page. A subclass sets `result`. The tests run in the order of their names, and the last ones look
    at what the browser said during all others."""

    result = None

    @classmethod
    def setUpClass(cls):
        cls.context = opened(cls.result.page)
        cls.browser = cls.context.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    def setUp(self):
        self.browser.resize(1280, 900)
        self.run_js("viewer.closed = true; scrollTo(0, 0); showStretch(0, facts.length)")

    def run_js(self, expression):
        return self.browser.run(expression)

    def mouse(self, kind, x, y, **more):
        self.browser.call("Input.dispatchMouseEvent", type="mouse" + kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("Moved", x, y)
        self.mouse("Pressed", x, y, button="left", clickCount=1)
        self.mouse("Released", x, y, button="left", clickCount=1)

    def drag(self, x, y, to):
        self.mouse("Moved", x, y)
        self.mouse("Pressed", x, y, button="left", clickCount=1)
        for step in range(1, 6):
            self.mouse("Moved", x + (to - x) * step / 5, y, button="left", buttons=1)
        self.mouse("Released", to, y, button="left", clickCount=1)

    def in_view(self, selector):
        return self.run_js(f"broughtIntoView({selector!r})")

    def box(self, selector):
        return self.run_js(f"boxOf({selector!r})")

    def drawn(self):
        return self.run_js("[viewer.drawnFrom, viewer.drawnTo]")

    def test_0_size_and_time(self):
        size, (paint, ready) = os.path.getsize(self.result.page), self.run_js("times()")
        what = f"{len(self.result.beats)} beats: {size / 1e6:.2f} MB"
        print(f"  {what}, first paint after {paint} ms, ready after {ready} ms", file=sys.stderr)
        self.assertLess(size, MOST_BYTES)
        self.assertLess(paint, LATEST_PAINT_MS)

    def test_1_every_figure_has_ink(self):
        for figure in self.run_js("findAll('figure').map((figure) => figure.id)"):
            with self.subTest(figure=figure):
                self.assertEqual(self.run_js(f"lackOfInk(find('#{figure}'))"), "")
        self.run_js("openFolds()")
        self.assertEqual(self.run_js("findAll('.card').length"), min(60, len(self.result.order)))
        self.assertGreater(self.run_js("find('#strip .trace').getTotalLength()"), 1000)

    def test_2_the_slider_recounts(self):
        count = sum(beat["anomalous"] == "1" for beat in self.result.beats if self.result.is_good(beat))
        self.assertEqual(self.run_js("countShown()"), count)
        if self.result.templates:
            self.assertEqual(self.run_js("find('.tile.abnormal .value')?.textContent ?? '0'"), f"{count:,}")
            self.assertEqual(self.run_js("windowsOf(windowWidth(18)).reduce((sum, one) => sum + one.abnormal, 0)"), count)
        low, high, at = self.run_js("['min', 'max', 'value'].map((name) => Number(find('#threshold')[name]))")
        for value in {low, high, at, at + 1, at - 1, (low + at) // 2, (at + high) // 2}:
            self.assertEqual(self.run_js(f"countAbove({value})"), self.result.above(value), f"above {value / 100}")
        self.run_js("find('#threshold-reset').click()")
        self.assertEqual(self.run_js("countShown()"), count)

    def test_3_a_click_on_a_card_shows_the_strip_at_its_time(self):
        self.run_js("openFolds()")
        self.assertEqual(set(self.run_js("findAll('.card').map((card) => Number(card.dataset.beat))")),
                         set(self.run_js("data.strip_beats")))
        for beat in [self.result.order[place] for place in (1, min(7, len(self.result.order) - 1))]:
            rank = self.run_js(f"find('#beat-{beat} .rank').textContent")
            if self.result.is_good(self.result.beats[beat]):
                self.assertEqual(self.result.score(beat), self.result.score(self.result.order[int(rank) - 1]))
            card = self.in_view(f"#beat-{beat} svg.strip")
            self.click(card["x"] + card["width"] / 2, card["y"] + 20)
            self.assertEqual(self.run_js("selection.beat"), beat)
            first, last = self.drawn()
            self.assertLessEqual(first, self.result.position(beat))
            self.assertGreaterEqual(last, self.result.position(beat))
            self.assertEqual(self.run_js(f"findAll('#strip [data-beat=\"{beat}\"]').length"), 1)
            strip = self.box("#strip")  # it is in view, though its own place is not
            self.assertGreaterEqual(strip["top"], 0)
            self.assertLessEqual(strip["bottom"], 901)
            self.assertTrue(self.run_js(f"find('#beat-{beat}').classList.contains('chosen')"))

    def test_4_brushing_shows_the_stretch(self):
        self.run_js("find('#recording').scrollIntoView({behavior: 'instant'})")  # the strip is below it
        length, plot = self.run_js("facts.length"), self.box("#overview .u-over")
        self.drag(plot["x"] + 0.25 * plot["width"], plot["y"] + 50, plot["x"] + 0.5 * plot["width"])
        if 0.25 * self.run_js("facts.samples / perSecond") <= 20:  # a short stretch is not made larger
            first, last = self.drawn()
            self.assertLessEqual(first / length, 0.26)
            return self.assertGreaterEqual(last / length, 0.49)
        low, high = self.run_js("[timePlots[0].scales.x.min, timePlots[0].scales.x.max]")
        self.assertAlmostEqual(low / length, 0.25, delta=0.01)
        self.assertAlmostEqual(high / length, 0.5, delta=0.01)
        self.browser.until(f"timePlots.every((plot) => plot.scales.x.min === {low})")  # the tachogram too
        self.assertAlmostEqual(self.drawn()[0] / length, 0.25, delta=0.01)
        if not self.run_js("viewer.docked()"):  # docked, it has one line; several leads make the overview that high
            self.assertGreater(self.run_js("findAll('#strip svg.strip').length"), 1)
        self.click(plot["x"] + 0.5 * plot["width"], plot["y"] + 50)
        self.assertAlmostEqual(sum(self.drawn()) / 2 / length, 0.375, delta=0.001)
        self.run_js("find('#whole').click()")
        self.browser.until("timePlots.every((plot) => plot.scales.x.min === 0)")

    def test_5_the_verdict_leads_to_strips(self):
        links = self.run_js("findAll('.findings a.see').map((link) => [Number(link.dataset.from), link.textContent])")
        if self.result.templates and self.result.rate:
            self.assertGreater(len(links), 0)
        for place, (start, words) in enumerate(links):
            with self.subTest(finding=words):
                self.run_js(f"findAll('.findings a.see')[{place}].click()")
                first, last = self.drawn()
                self.assertTrue(first <= start + 0.001 and start <= last, f"{start} is not in {first} to {last}")
                self.assertEqual(self.run_js("find('#strip .chosen-text').textContent"), words)

    def test_5_every_shape_has_a_card(self):
        self.run_js("openFolds()")
        cards = self.run_js("findAll('.shape-card').map((card) => find('.kind', card).textContent[0])")
        self.assertEqual(cards, [shape["beat_class"] for shape in self.result.templates])
        for place in range(len(cards)):
            shape = self.result.templates[place]
            links = 2 if shape["most_atypical_beat"] != shape["most_typical_beat"] else 1
            self.assertEqual(self.run_js(f"findAll('#shape-{place} a.see').length"), links)
            self.assertEqual(self.run_js(f"findAll('#shape-{place} svg.strip .trace, #shape-{place} .signal').length"), 2)

    def test_5_episodes_are_in_the_lane_and_in_the_table(self):
        if not self.result.episodes:
            return self.assertEqual(self.run_js("findAll('#episodes tbody tr').length"), 0)
        self.assertEqual(self.run_js("episodes.length"), len(self.result.episodes))
        longest = max(self.result.episodes, key=lambda episode: float(episode["end_s"]) - float(episode["start_s"]))
        start, end = float(longest["start_s"]), float(longest["end_s"])
        place = self.run_js("timePlots.findIndex((plot) => plot.lane)")
        self.run_js(f"timePlots[{place}].over.scrollIntoView({{block: 'start', behavior: 'instant'}});"
                    "window.scrollBy({top: -100, behavior: 'instant'})")  # the strip may cover the window's lower part
        lane = self.run_js(f"(() => {{ const {{x, y, width, height}} = timePlots[{place}].over.getBoundingClientRect();"
                           " return {x, y, width, height}; })()")
        row = self.run_js(f"laneOf().find(({{from}}) => Math.abs(from - {start}) < 0.001).row")
        rows, length = self.run_js("[groupsIn().length, facts.length]")
        self.click(lane["x"] + (start + end) / 2 / length * lane["width"],
                   lane["y"] + (row + 0.5) / rows * lane["height"])
        seen = self.run_js("[selection.mark.from, selection.mark.to]")  # it, or a shorter one within
        self.assertTrue(start - 0.001 <= seen[0] <= seen[1] <= end + 0.001, f"{seen} is not within {start} to {end}")
        first, last = self.drawn()
        self.assertTrue(first <= seen[0] <= last, f"{seen[0]} is not in {first} to {last}")
        self.assertGreater(self.run_js("findAll('#strip .seen-wash').length"), 0)
        label = self.result.episodes[0]["label"]
        self.run_js(f"find('[data-filter=\"{label}\"]')?.click()")
        shown = self.run_js("findAll('#episode-table tbody tr').filter((row) => !row.hidden)"
                            ".map((row) => find('.label', row).textContent.replace('?', ''))")
        self.assertEqual(set(shown), {label})
        self.run_js("find('[data-filter=\"\"]')?.click()")

    def test_5_points_are_beats(self):
        beat = self.result.order[0]
        for name in ("tachogram", "poincare", "plane", "baseline"):
            ring = f"#{name} .ring"
            self.run_js(f"chooseBeat({beat}, false); viewer.closed = true; viewer.place()")
            if not self.run_js(f"Boolean(find('{ring}')) && !find('{ring}').hidden"):
                continue  # a beat without a neighbour has no such point
            with self.subTest(figure=name):
                self.in_view(f"#{name} .u-over")
                place = self.box(ring)
                self.run_js("select({beat: null}, false)")
                self.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
                self.assertIsNotNone(self.run_js("selection.beat"))
                found = self.box(ring)  # that beat's, or another's at the same place
                self.assertLess(abs(found["x"] - place["x"]) + abs(found["y"] - place["y"]), 5)

    def test_6_rows_of_the_table_and_keys(self):
        row = "#course tbody tr:nth-child(2) a"
        start, end = map(float, self.run_js(f"[find('{row}').dataset.from, find('{row}').dataset.to]"))
        self.run_js(f"find('{row}').click()")
        first, last = self.drawn()
        self.assertTrue(first < end and last > start, f"{first} to {last} is not in {start} to {end}")
        abnormal = [i for i, beat in enumerate(self.result.beats) if beat["anomalous"] == "1"]
        if len(abnormal) < 2:
            return
        self.run_js(f"chooseBeat({abnormal[0]}); find('#strip').focus()")
        for key, expected in (("n", abnormal[1]), ("p", abnormal[0])):
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.assertEqual(self.run_js("selection.beat"), expected)

    def test_7_every_figure_gives_its_data(self):
        for name in self.run_js("[...new Set(findAll('[data-table]').map((link) => link.dataset.table))]"):
            with self.subTest(table=name):
                self.assertGreater(self.run_js(f"csvOf('{name}').split('\\n').length"), 2, "a header and a row")
        rows = list(csv.reader(self.run_js("csvOf('tachogram')").splitlines()))
        self.assertEqual(len(rows), len(self.result.beats) + 1)
        for beat in (1, len(self.result.beats) // 2):
            self.assertAlmostEqual(float(rows[beat + 1][1]), self.result.position(beat), places=2)
            if interval := self.result.beats[beat]["rr_prev_s"]:
                self.assertAlmostEqual(float(rows[beat + 1][2]), float(interval), places=5)

    def test_7_a_click_saves_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path, end = os.path.join(folder, "course.csv"), time.monotonic() + 10
            self.browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.run_js("find('[data-table=course]').click()")
            while not os.path.exists(path) and time.monotonic() < end:
                time.sleep(0.02)
            with open(path) as file:
                counted = sum(int(row["beats"]) for row in csv.DictReader(file))
        self.assertEqual(counted, len(self.result.beats))

    def test_8_paper_is_true_to_scale(self):
        self.assertAlmostEqual(self.box(".card svg.strip")["width"], 90 * MM, delta=0.1)
        self.run_js(f"chooseBeat({self.result.order[0]})")
        seconds, gain = self.run_js("[viewer.seconds(), gainOf(viewer.leads[0], viewer.paper())]")
        self.assertAlmostEqual(self.box("#strip svg.strip")["width"], 25 * seconds * MM, delta=0.1)
        trace = "find('#strip .trace').getBBox()"
        width, height = self.run_js(f"[{trace}.width / kDots, {trace}.height / kDots]")
        if self.run_js("facts.bin_samples") == 1:
            values = self.run_js("stripRows().filter((row) => !row[4] || row[4] === viewer.leads[0].name)"
                                 ".map((row) => row[2])")
            self.assertAlmostEqual(width, 25 * seconds, delta=0.3)
            self.assertAlmostEqual(height, min((max(values) - min(values)) * gain, 70), delta=0.1)
        else:  # it is at full rate only around the beat
            self.assertAlmostEqual(width, 250, delta=0.3)

    def test_8_paper_is_true_to_scale_in_print(self):
        self.run_js(f"chooseBeat({self.result.order[0]}); dispatchEvent(new Event('beforeprint'))")
        try:
            self.assertAlmostEqual(self.box("#strip svg.strip")["width"], 25 * self.run_js("viewer.seconds()") * MM, delta=0.1)
            self.assertEqual(self.run_js("lackOfInk(find('#overview'))"), "")
            self.assertLessEqual(self.run_js("document.documentElement.scrollWidth"), 1280)
        finally:
            self.run_js("dispatchEvent(new Event('afterprint'))")

    def test_8_narrow_screens(self):
        self.browser.resize(390, 800)
        self.run_js("pause(100)")
        self.assertLessEqual(self.run_js("document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.run_js("lackOfInk(find('#overview'))"), "")

    def test_9_nothing_failed_and_nothing_left_the_page(self):
        for method, said in self.browser.events:
            self.assertNotEqual(method, "Runtime.exceptionThrown", said)
            if method == "Runtime.consoleAPICalled":
                self.assertNotIn(said["type"], ("error", "warning"), said)
            if method == "Log.entryAdded" and "willReadFrequently" not in said["entry"]["text"]:  # by lackOfInk
                self.assertNotIn(said["entry"]["level"], ("error", "warning"), said["entry"]["text"])
            if method == "Network.requestWillBeSent":
                url = said["request"]["url"]
                self.assertTrue(url.startswith(("data:", "blob:")) or url.endswith("/report.html"), url)

    def test_9_without_scripts(self):
        with Page(the_browser()) as browser:
            browser.call("Emulation.setScriptExecutionDisabled", value=True)
            browser.open(self.result.page)
            browser.run(HELPERS)
            text = browser.run("document.body.innerText")
            self.assertIn(f"{self.result.summary['beats']['found']:,} beats", text)
            self.assertEqual(browser.run("document.querySelectorAll('main section').length"), 0)


def check_pages(results, checks=(), common=True):
    """Runs PageChecks on the page of each result, and further checks on those that they name, and ends the script.

    `checks` has test cases and the names of their results. Without `common` they run alone.
    """
    if not find_chromium():
        suite.skip("needs Chromium (Debian: chromium-headless-shell)")
    tests, load = unittest.TestSuite(), unittest.defaultTestLoader.loadTestsFromTestCase
    for name, result in results.items() if common else ():
        tests.addTests(load(type("Page_" + name, (PageChecks, unittest.TestCase), {"result": result})))
    for case, name in dict(checks).items():
        if name in results:
            case.result = results[name]
            tests.addTests(load(case))
    suite.run(tests)


def run_pages(makers, checks, common=True):
    """Makes results by functions (results.py), checks their pages as check_pages() does, and ends the script.

    With I/N on the command line it does so for every N-th page, from the I-th on.
    """
    first, step = map(int, sys.argv[1].split("/")) if len(sys.argv) > 1 else (0, 1)
    with tempfile.TemporaryDirectory(prefix="beatscan-pages-") as folder:
        results = {}
        for name, make in list(makers.items())[first::step]:
            out = pathlib.Path(folder) / name
            make(out)
            results[name] = Result(out)
        check_pages(results, checks, common)
