#!/usr/bin/env python3
"""Looks at report.html as a reader does, in headless Chromium: nothing fails, nothing leaves the page, every figure
shows something, what can be clicked does what it says, and it can be read without scripts.

check_report.py PROGRAM SOURCE [RESULT...]   makes results and checks their pages; of a RESULT, its page alone
Ends with 77 (skipped) where no Chromium is installed."""
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Chromium, find_chromium  # noqa: E402

MM = 96 / 25.4  # CSS pixels in a millimetre
MOST_BYTES, FIRST_PAINT_MS = 5_000_000, 3000  # the latter on a machine that does other things too

# Pixels that are drawn on, or shapes with an extent, or rows with text.
INK = """
(figure) => {
  for (const canvas of figure.querySelectorAll("canvas")) {
    if (!canvas.width) return "empty canvas";
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let drawn = 0;
    for (let i = 3; i < pixels.length; i += 4) drawn += pixels[i] > 0;
    if (drawn < 200) return "canvas without ink: " + drawn;
  }
  for (const svg of figure.querySelectorAll("svg.chart")) {
    if (!svg.clientWidth) continue;  // hidden: a live one is in its place
    const marks = [...svg.querySelectorAll(".marks > *, .line")];
    if (!marks.some((mark) => { const box = mark.getBBox(); return box.width + box.height > 0; })) return "chart without marks";
  }
  for (const row of figure.querySelectorAll("tbody tr")) if (!row.textContent.trim()) return "empty row";
  return figure.querySelector("canvas, svg, tbody tr, p") ? "" : "nothing in it";
}
"""


def float32(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]


class Result:
    """A result's folder, with what its files say."""

    def __init__(self, folder):
        self.folder = folder
        self.page = os.path.join(folder, "report.html")
        with open(os.path.join(folder, "beats.csv")) as file:
            self.beats = list(csv.DictReader(file))
        with open(os.path.join(folder, "summary.json")) as file:
            self.summary = json.load(file)
        self.rate = self.summary["sample_rate"]["hz"]
        self.order = sorted((i for i, beat in enumerate(self.beats) if beat["score"]), key=lambda i: -float(self.beats[i]["score"]))

    def position(self, beat):
        sample = int(self.beats[beat]["sample"])
        return sample / self.rate if self.rate else sample

    def above(self, hundredths):
        return sum(float32(beat["score"]) > hundredths / 100 for beat in self.beats if beat["score"])


class PageChecks:
    """Of any result; `result` is set by the class that is made for it."""

    result = None

    @classmethod
    def setUpClass(cls):
        cls.browser = Chromium(find_chromium())
        cls.browser.open(cls.result.page)
        cls.browser.until("document.documentElement.classList.contains('ready')")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.browser.resize(1280, 900)
        self.browser.run("viewer.closed = true; scrollTo(0, 0); showStretch(0, facts.length)")

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none", clickCount=1)

    def drag(self, x, y, to):
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.browser.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for step in range(1, 6):
            self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + (to - x) * step / 5, y=y, button="left", buttons=1)
        self.browser.call("Input.dispatchMouseEvent", type="mouseReleased", x=to, y=y, button="left", clickCount=1)

    def box(self, selector):
        """In view, in pixels of the window."""
        self.browser.run(f"find({selector!r}).scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self.browser.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self.browser.run(f"(() => {{ const b = find({selector!r}).getBoundingClientRect(); return {{x: b.x, y: b.y, width: b.width, height: b.height}}; }})()")

    def drawn(self):
        return self.browser.run("[viewer.drawnFrom, viewer.drawnTo]")

    def test_0_size_and_time(self):
        size = os.path.getsize(self.result.page)
        times = self.browser.run("""(() => { const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
            return [Math.round(paint), Math.round(performance.getEntriesByName("ready")[0].startTime)]; })()""")
        print(f"  {len(self.result.beats)} beats: {size / 1e6:.2f} MB, first paint after {times[0]} ms, ready after {times[1]} ms", file=sys.stderr)
        self.assertLess(size, MOST_BYTES)
        self.assertLess(times[0], FIRST_PAINT_MS)

    def test_1_every_figure_has_ink(self):
        for identity in self.browser.run("findAll('figure').map((figure) => figure.id)"):
            with self.subTest(figure=identity):
                self.assertEqual(self.browser.run(f"({INK})(find('#{identity}'))"), "")
        self.assertEqual(self.browser.run("findAll('.card').length"), min(60, len(self.result.order)))
        self.assertGreater(self.browser.run("find('#strip .trace').getTotalLength()"), 1000)

    def test_2_the_slider_recounts(self):
        low, high, at = self.browser.run("(() => { const s = find('#threshold'); return [Number(s.min), Number(s.max), Number(s.value)]; })()")
        self.assertEqual(self.browser.run("Number(find('#threshold-count').dataset.count)"), self.result.summary["anomaly"]["count"])
        for value in {low, high, at, at + 1, at - 1, (low + at) // 2, (at + high) // 2}:
            count = self.browser.run(f"(() => {{ const s = find('#threshold'); s.value = {value}; s.dispatchEvent(new Event('input')); return Number(find('#threshold-count').dataset.count); }})()")
            self.assertEqual(count, self.result.above(value), f"above {value / 100}")
        self.browser.run("find('#threshold-reset').click()")
        self.assertEqual(self.browser.run("Number(find('#threshold-count').dataset.count)"), self.result.summary["anomaly"]["count"])

    def test_3_a_click_on_a_card_shows_the_strip_at_its_time(self):
        for place in (1, min(7, len(self.result.order) - 1)):
            beat = self.browser.run(f"Number(findAll('.card')[{place}].dataset.beat)")
            self.assertAlmostEqual(float(self.result.beats[beat]["score"]), float(self.result.beats[self.result.order[place]]["score"]))
            box = self.box(f"#beat-{beat} svg.strip")
            self.click(box["x"] + box["width"] / 2, box["y"] + 20)
            self.assertEqual(self.browser.run("selection.beat"), beat)
            first, last = self.drawn()
            self.assertLessEqual(first, self.result.position(beat))
            self.assertGreaterEqual(last, self.result.position(beat))
            strip = self.browser.run("(() => { const b = find('#strip').getBoundingClientRect(); return [b.top, b.bottom, innerHeight]; })()")
            self.assertGreaterEqual(strip[0], 0)
            self.assertLessEqual(strip[1], strip[2] + 1)  # in view, though its place is not
            self.assertIn(f"#strip [data-beat=\"{beat}\"]", self.browser.run(f"find('#strip [data-beat=\"{beat}\"]') ? '#strip [data-beat=\"{beat}\"]' : ''"))
            self.assertTrue(self.browser.run(f"find('#beat-{beat}').classList.contains('chosen')"))

    def test_4_brushing_shows_the_stretch(self):
        length = self.browser.run("facts.length")
        box = self.box("#overview .u-over")
        self.drag(box["x"] + 0.25 * box["width"], box["y"] + 50, box["x"] + 0.5 * box["width"])
        low, high = self.browser.run("[timePlots[0].scales.x.min, timePlots[0].scales.x.max]")
        self.assertAlmostEqual(low / length, 0.25, delta=0.01)
        self.assertAlmostEqual(high / length, 0.5, delta=0.01)
        self.browser.until("timePlots.every((plot) => plot.scales.x.min === timePlots[0].scales.x.min)")  # the tachogram too
        first, last = self.drawn()
        self.assertAlmostEqual(first / length, 0.25, delta=0.01)
        self.click(box["x"] + 0.5 * box["width"], box["y"] + 50)
        first, last = self.drawn()
        self.assertAlmostEqual((first + last) / 2 / length, 0.375, delta=0.01)
        self.browser.run("find('#whole').click()")
        self.browser.until("timePlots.every((plot) => plot.scales.x.min === 0)")

    def test_5_points_are_beats(self):
        beat = self.result.order[0]
        for figure in self.browser.run("Object.keys(scatter).filter((id) => find('#' + id))"):
            with self.subTest(figure=figure):
                self.browser.run(f"chooseBeat({beat}, false)")
                self.browser.run("viewer.closed = true; viewer.place()")
                self.box(f"#{figure} svg.chart")
                x, y = self.browser.run(f"(() => {{ const b = find('#{figure} .selected').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()")
                where = self.browser.run(f"[scatter.{figure}.x({beat}), scatter.{figure}.y({beat})]")
                if None in where:
                    continue  # a beat without a neighbour has no such point
                self.browser.run("select({beat: null}, false)")
                self.click(x, y)
                chosen = self.browser.run("selection.beat")
                self.assertIsNotNone(chosen)
                # That beat, or another at the same place.
                away = self.browser.run(f"(() => {{ const b = find('#{figure} .selected').getBoundingClientRect(); return Math.hypot(b.x + b.width / 2 - {x}, b.y + b.height / 2 - {y}); }})()")
                self.assertLess(away, 5)

    def test_6_rows_of_the_table_and_keys(self):
        self.box("#course tbody tr:nth-child(2) a")
        start, end = self.browser.run("(() => { const a = find('#course tbody tr:nth-child(2) a'); a.click(); return [Number(a.dataset.from), Number(a.dataset.to)]; })()")
        first, last = self.drawn()
        self.assertTrue(first < end and last > start, f"{first} to {last} is not in {start} to {end}")
        abnormal = [i for i, beat in enumerate(self.result.beats) if beat["anomalous"] == "1"]
        if len(abnormal) < 2:
            return
        self.browser.run(f"chooseBeat({abnormal[0]}); find('#strip').focus()")
        for key, expected in (("n", abnormal[1]), ("p", abnormal[0])):
            self.browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.assertEqual(self.browser.run("selection.beat"), expected)

    def test_7_every_figure_gives_its_data(self):
        for name in self.browser.run("[...new Set(findAll('[data-table]').map((link) => link.dataset.table))]"):
            with self.subTest(table=name):
                lines = self.browser.run(f"csvOf('{name}').split('\\n').length")
                self.assertGreater(lines, 2, "a header and a row")
        rows = list(csv.reader(self.browser.run("csvOf('tachogram')").splitlines()))
        self.assertEqual(len(rows), len(self.result.beats) + 1)
        for beat in (1, len(self.result.beats) // 2):
            self.assertAlmostEqual(float(rows[beat + 1][1]), self.result.position(beat), places=2)
            if self.result.beats[beat]["rr_prev_s"]:
                self.assertAlmostEqual(float(rows[beat + 1][2]), float(self.result.beats[beat]["rr_prev_s"]), places=5)
        with tempfile.TemporaryDirectory() as folder:
            self.browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
            self.browser.run("find('[data-table=course]').click()")
            end = 200
            while not os.path.exists(os.path.join(folder, "course.csv")) and end:
                self.browser.run("new Promise((done) => setTimeout(done, 20))")
                end -= 1
            with open(os.path.join(folder, "course.csv")) as file:
                counted = sum(int(row["beats"]) for row in csv.DictReader(file))
        self.assertEqual(counted, len(self.result.beats))

    def test_8_paper_is_true_to_scale(self):
        self.assertAlmostEqual(self.browser.run("find('.card svg.strip').getBoundingClientRect().width"), 90 * MM, delta=0.1)
        self.browser.run(f"chooseBeat({self.result.order[0]})")
        seconds, width, height, gain = self.browser.run(
            "(() => { const b = find('#strip .trace').getBBox(), s = viewer.seconds(); return [s, b.width / kDots, b.height / kDots, viewer.paper().mmPerUnit]; })()")
        if self.browser.run("facts.bin_samples") == 1:
            self.assertAlmostEqual(width, 25 * seconds, delta=0.3)
            values = self.browser.run("stripRows().map((row) => row[2])")
            self.assertAlmostEqual(height, min((max(values) - min(values)) * gain, 70), delta=0.1)
        else:  # at full rate around the beat alone
            self.assertAlmostEqual(width, 250, delta=0.3)
        svg = self.browser.run("(() => { const s = find('#strip svg.strip'); return [s.getBoundingClientRect().width, viewer.seconds()]; })()")
        self.assertAlmostEqual(svg[0], 25 * svg[1] * MM, delta=0.1)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        try:
            self.assertAlmostEqual(self.browser.run("find('.card svg.strip').getBoundingClientRect().width"), 90 * MM, delta=0.1)
            self.assertGreater(self.browser.run("find('#overview .static svg').clientWidth"), 0)
        finally:
            self.browser.call("Emulation.setEmulatedMedia", media="screen")

    def test_8_narrow_screens(self):
        self.browser.resize(390, 800)
        self.browser.run("new Promise((done) => setTimeout(done, 100))")
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.browser.run(f"({INK})(find('#overview'))"), "")

    def test_9_nothing_failed_and_nothing_left_the_page(self):
        for method, parameters in self.browser.events:
            self.assertNotEqual(method, "Runtime.exceptionThrown", parameters)
            if method == "Log.entryAdded" and "willReadFrequently" not in parameters["entry"]["text"]:  # INK's own doing
                self.assertNotIn(parameters["entry"]["level"], ("error", "warning"), parameters["entry"]["text"])
            if method == "Runtime.consoleAPICalled":
                self.assertNotIn(parameters["type"], ("error", "warning"), parameters)
            if method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                self.assertTrue(url.startswith(("data:", "blob:")) or url.endswith("/report.html"), url)

    def test_9_without_scripts(self):
        with Chromium(find_chromium()) as browser:
            browser.call("Emulation.setScriptExecutionDisabled", value=True)
            browser.open(self.result.page)
            self.assertEqual(browser.run("document.documentElement.className"), "")
            text = browser.run("document.body.innerText")
            self.assertIn(f"{self.result.summary['beats']['found']:,}", text)
            for title in ("Verdict", "The whole recording", "The most abnormal beats", "The run"):
                self.assertIn(title, text)
            hidden = browser.run("""[...document.querySelectorAll("figure")].filter((figure) => !figure.clientHeight || [...figure.querySelectorAll("svg.chart")].some((svg) => !svg.clientWidth)).map((figure) => figure.id)""")
            self.assertEqual(hidden, [])
            self.assertEqual(browser.run("[...document.querySelectorAll('.live, .csv')].filter((part) => part.offsetParent).length"), 0)
            self.assertGreater(browser.run("document.querySelectorAll('.card svg.strip .trace').length"), 0)


class HostileNames(unittest.TestCase):
    """A file and a column whose names are markup."""

    def test_names_are_text(self):
        with Chromium(find_chromium()) as browser:
            browser.call("Page.addScriptToEvaluateOnNewDocument", source="window.alerts = 0; window.alert = () => { ++window.alerts; };")
            browser.open(self.result.page)
            browser.until("document.documentElement.classList.contains('ready')")
            self.assertEqual(browser.run("window.alerts"), 0)
            self.assertEqual(browser.run("document.images.length"), 0)
            self.assertEqual(browser.run("document.querySelectorAll('script').length"), 2)
            self.assertEqual(browser.run("find('h1').textContent"), "<img src=x onerror=alert(1)>.csv")
            self.assertIn("</script><script>alert(2)</script>", browser.run("document.body.innerText"))
            # A script that came in nevertheless is not run.
            browser.run("(() => { const s = document.createElement('script'); s.textContent = 'alert(3)'; document.body.append(s); })()")
            browser.run("(() => { const d = document.createElement('div'); d.innerHTML = '<img src=\"data:,\" onerror=\"alert(4)\">'; document.body.append(d); })()")
            browser.run("new Promise((done) => setTimeout(done, 100))")
            self.assertEqual(browser.run("window.alerts"), 0)


class DarkScreens(unittest.TestCase):
    def test_colours(self):
        with Chromium(find_chromium(), dark=True) as browser:
            browser.open(self.result.page)
            browser.until("document.documentElement.classList.contains('ready')")
            light = browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number).reduce((a, b) => a + b)")
            self.assertLess(light, 120)
            browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            self.assertEqual(browser.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")  # paper is white


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"beatscan {' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}")


def make_results(program, source, folder):
    """What the checks look at: at full rate with a truth, in bins, without a rate, and with names that are markup."""
    data = os.path.join(source, "data", "mitdb_205")
    short = ("--device", "cpu", "--set", "vae.epochs=2")
    out = {name: os.path.join(folder, name) for name in ("short", "bins", "seed", "hostile")}
    run(program, "run", data + ".csv", "--rate", 360, "--truth", data + ".truth.csv", *short, "--out", out["short"])
    run(program, "run", data + ".csv", "--config", "seed", *short, "--out", out["seed"])
    long = os.path.join(folder, "long.csv")
    run(program, "generate", "--samples", 2_500_000, "--out", long)
    run(program, "run", long, "--rate", 250, *short, "--out", out["bins"])
    hostile = os.path.join(folder, "<img src=x onerror=alert(1)>.csv")
    with open(data + ".csv") as file, open(hostile, "w") as copy:
        copy.write("</script><script>alert(2)</script>\n" + "".join(file.readlines()[1:100_001]))
    run(program, "run", hostile, "--rate", 360, *short, "--out", out["hostile"])
    return {name: Result(path) for name, path in out.items()}


def suite_for(program, source, folder, given):
    results = {os.path.basename(os.path.normpath(path)): Result(path) for path in given} or make_results(program, source, folder)
    suite, load = unittest.TestSuite(), unittest.defaultTestLoader.loadTestsFromTestCase
    for name, result in results.items():
        suite.addTests(load(type("Page_" + name, (PageChecks, unittest.TestCase), {"result": result})))
    for name, checks in (("hostile", HostileNames), ("short", DarkScreens)):
        if name in results and not given:
            checks.result = results[name]
            suite.addTests(load(checks))
    return suite


def main():
    if not find_chromium():
        print("skipped: no Chromium; `apt-get install chromium-headless-shell` has one", file=sys.stderr)
        sys.exit(77)
    program, source, *given = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="beatscan-pages-") as folder:
        outcome = unittest.TextTestRunner(verbosity=1).run(suite_for(program, source, folder, given))
    sys.exit(not outcome.wasSuccessful())


if __name__ == "__main__":
    main()
