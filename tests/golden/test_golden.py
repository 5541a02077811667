#!/usr/bin/env python3
"""Plants changes in a stored golden result; the comparison must report each of them in readable form."""
import contextlib
import copy
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
try:
    from golden import drawn, golden_file, pairing, program, report, result_folder
    from golden.differences import changes
    from golden.recordings import RECORDINGS, StoredRecording, write
except ModuleNotFoundError as error:
    if error.name != "numpy":
        raise
    print("skipped: numpy is not installed")
    sys.exit(77)

STORED = "mitdb_205"  # has beats of several classes, episodes, templates and poor signal


def stored(name=STORED):
    path = program.EXPECTED / f"{name}.txt"
    return golden_file.from_text(name, path.read_text(encoding="utf-8"))


class PlantedChanges(unittest.TestCase):
    def setUp(self):
        self.expected = stored()
        self.found = copy.deepcopy(self.expected)
        self.beats = self.found.rows("beats")

    def lines(self, decisions_only=False):
        return [change.line for change in changes(self.expected, self.found, decisions_only)]

    def only_change(self, decisions_only=False):
        (change,) = changes(self.expected, self.found, decisions_only)
        return change

    def place(self, number):
        sample = int(self.expected.rows("beats")[number]["sample"])
        return f"beat at {sample / self.expected.rate_hz:.3f} s (sample {sample})"

    def test_without_a_change_results_are_equal(self):
        self.assertEqual(self.lines(), [])
        self.assertEqual(report.total_line({STORED: []}), "golden: 1 recording, equal")

    def test_a_beat_of_another_class(self):
        before = self.beats[10]["class"]
        self.beats[10].update({"class": "X", "score": "99.9", "accepted": "0", "anomalous": "1", "quality": "noisy"})
        change = self.only_change()
        score = self.expected.rows("beats")[10]["score"]
        self.assertEqual(change.line, f"{self.place(10)}: {before} -> X, rejected, anomalous, quality good -> noisy, "
                                      f"score {score} -> 99.9")
        self.assertIn(f"1 beat changed class (1 {before}->X)", report.total_line({STORED: [change]}))
        self.assertEqual(self.only_change(decisions_only=True).line, f"{self.place(10)}: {before} -> X, rejected")

    def test_a_beat_that_is_gone_leaves_the_others_as_they_are(self):
        del self.beats[10]
        self.assertRegex(self.only_change().line, r"^beat at [0-9.]+ s \(sample \d+\), \w, score [0-9.-]+, is gone$")
        self.assertTrue(self.only_change().line.startswith(self.place(10)))

    def test_a_new_beat(self):
        middle = (int(self.beats[10]["sample"]) + int(self.beats[11]["sample"])) // 2
        self.beats.insert(11, {**self.beats[10], "sample": str(middle), "class": "V", "score": "12.3"})
        self.assertIn(f"(sample {middle}), V, score 12.3, is new", self.only_change().line)

    def test_a_beat_that_moved(self):
        self.beats[10]["sample"] = str(int(self.beats[10]["sample"]) + 18)
        for decisions_only in (False, True):
            self.assertEqual(self.only_change(decisions_only).line, f"{self.place(10)}: moved by +18 samples (+50 ms)")

    def test_scores_alone_are_one_line(self):
        for number in (10, 11, 12):
            self.beats[number]["score"] = "0.99"
        self.beats[12]["score"] = "7.77"
        self.assertRegex(self.only_change().line, r"^3 beats changed in score alone, most of all the beat .* -> 7\.77$")
        self.assertEqual(self.only_change().count, 3)
        self.assertEqual(self.lines(decisions_only=True), [])

    def test_templates_with_other_numbers_are_the_same(self):
        numbers = [row["template"] for row in self.found.rows("templates")]
        self.assertGreater(len(numbers), 1)
        swapped = {numbers[0]: numbers[1], numbers[1]: numbers[0]}
        for row in [*self.beats, *self.found.rows("templates")]:
            row["template"] = swapped.get(row["template"], row["template"])
        self.assertEqual(self.lines(), [])

    def test_a_beat_in_another_template(self):
        self.beats[10]["template"] = "77"
        self.assertRegex(self.only_change().line, r"^1 beat moved to another template: 1 \d+ -> 77$")

    def test_a_template_of_another_class(self):
        self.found.rows("templates")[0].update({"class": "X", "width_ms": "200"})
        line, = self.lines()
        self.assertRegex(line, r"^template 0 \(\w, \d+ beats\): class \w -> X, width_ms [0-9.]+ -> 200$")
        line, = self.lines(decisions_only=True)
        self.assertRegex(line, r"^template 0 \(\w, \d+ beats\): class \w -> X$")

    def test_an_episode_that_is_gone_or_new(self):
        episode = self.found.rows("episodes").pop(0)
        line, = self.lines()
        self.assertRegex(line, rf"^episode {episode['label']} [0-9.]+-[0-9.]+ s is gone$")
        self.expected, self.found = self.found, self.expected
        line, = self.lines(decisions_only=True)
        self.assertRegex(line, rf"^episode {episode['label']} [0-9.]+-[0-9.]+ s is new$")

    def test_an_episode_that_moved_or_has_another_label(self):
        episode = self.found.rows("episodes")[0]
        episode["end_sample"] = str(int(episode["end_sample"]) + 36)
        for decisions_only in (False, True):
            line, = self.lines(decisions_only)
            self.assertRegex(line, r"^episode \w+ .* s is now .* s \(start \+0\.000 s, end \+0\.100 s\)$")
        episode["label"] = "XX"
        line, = self.lines()
        self.assertRegex(line, r"^episode \w+ .* s is now XX .* s$")

    def test_an_episode_of_another_confidence(self):
        self.found.rows("episodes")[0]["confidence"] = "0.01"
        line, = self.lines()
        self.assertRegex(line, r"^episode \w+ .* s: confidence [0-9.]+ -> 0\.01$")
        self.assertEqual(self.lines(decisions_only=True), [])

    def test_stretches_of_poor_signal(self):
        for golden in (self.expected, self.found):
            golden.rows("quality").append({"lead": "0", "quality": "noisy", "from_s": "7.0", "to_s": "9.0"})
        self.found.rows("quality")[0]["to_s"] = "1800.0"
        self.found.rows("quality").append({"lead": "5", "quality": "flat", "from_s": "3.0", "to_s": "5.0"})
        moved, new = self.lines()
        self.assertRegex(moved, r"^lead 0 \w+ [0-9.]+-[0-9.]+ s is now lead 0 \w+ [0-9.]+-1800\.0 s$")
        self.assertEqual(new, "lead 5 flat 3.0-5.0 s is new")

    def test_keys_of_the_summary(self):
        key, gone, *_ = self.found.summary
        self.found.summary[key] = "7"
        del self.found.summary[gone]
        changed, removed = self.lines()
        self.assertEqual(changed, f"summary {key}: {self.expected.summary[key]} -> 7")
        self.assertEqual(removed, f"summary {gone} is gone: {self.expected.summary[gone]}")

    def test_messages(self):
        self.found.messages.append("a lead is off " + 200 * "x")
        line, = self.lines()
        self.assertRegex(line, r"^message is new: a lead is off x+ \.\.\.$")

    def test_digests_name_the_column(self):
        self.found.digests["beats"]["score"] = "0"
        del self.found.digests["templates"]["spread"]
        self.found.digests["abnormal"]["row_count"] = "9999"
        self.found.digests["summary"]["hours"] = "0"
        self.assertEqual(sorted(self.lines()), [
            f"digests of abnormal: rows {self.expected.digests['abnormal']['row_count']} -> 9999",
            "digests of beats: score", "digests of summary: hours", "digests of templates: spread (gone)"])
        self.assertEqual(self.lines(decisions_only=True), [])

    def test_a_column_that_is_gone(self):
        table = self.found.tables["beats"]
        table.columns.remove("class")
        for row in table.rows:
            del row["class"]
        self.assertEqual(self.lines(), ["the column class of beats is gone"])

    def test_another_recording(self):
        self.found.recording = "0"
        line, = self.lines()
        self.assertIn("the recording itself changed", line)

    def test_many_changes_are_cut_and_counted(self):
        for row in self.beats[:20]:
            row["class"] = "X"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            report.print_lines(STORED, changes(self.expected, self.found), most_lines=3)
        lines = printed.getvalue().splitlines()
        self.assertEqual(len(lines), 4)
        self.assertRegex(lines[-1], rf"^{STORED}: \.\.\. and 17 beats changed class \(")


class Files(unittest.TestCase):
    def test_stored_results_stay_as_they_are_when_read_and_written(self):
        for recording in RECORDINGS:
            with self.subTest(recording.name):
                text = (program.EXPECTED / f"{recording.name}.txt").read_text(encoding="utf-8")
                self.assertEqual(golden_file.to_text(stored(recording.name), recording.description), text)

    def test_a_damaged_file_is_an_error_with_its_line(self):
        for text in ("rate_hz 360\n[beats]\nsample class\n12 N V\n", "rate_hz 360\n[summary]\n\nbeats.found 12\n"):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "line 4 is not in the form"):
                golden_file.from_text("a", text)

    def test_recordings_are_the_same_bytes_on_every_machine(self):
        for recording in RECORDINGS:
            with self.subTest(recording.name), tempfile.TemporaryDirectory() as folder:
                file = write(recording, folder)
                made = sorted(pathlib.Path(folder).iterdir()) or [file]
                digest = golden_file.digest(b"".join(each.read_bytes() for each in made))
                self.assertEqual(digest, stored(recording.name).recording)

    def test_a_result_is_read_by_the_names_of_golden_results(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "beats.csv").write_text("sample,beat_class,kept,score\n12,N,1,-0.004\n400,V,0,12.345\n")
            pathlib.Path(folder, "summary.json").write_text(json.dumps(
                {"input": {"path": "/a", "samples": 500}, "findings": {"kinds": {"N": 1}, "share": 0.123456},
                 "advisories": [{"id": "BS101", "severity": "caution", "message": "two\nlines"}], "run": {"wall_s": 1}}))
            golden = result_folder.read("a", 360, folder)
        self.assertEqual(golden.tables["beats"].columns, ["sample", "class", "accepted", "score"])
        self.assertEqual(golden.rows("beats")[1], {"sample": "400", "class": "V", "accepted": "0", "score": "12.3"})
        self.assertEqual(golden.rows("beats")[0]["score"], "0.00")
        self.assertEqual(golden.summary,
                         {"input.samples": "500", "findings.classes.N": "1", "findings.share": "0.1235"})
        self.assertEqual(golden.messages, ["BS101 caution: two lines"])
        self.assertEqual(golden.digests["beats"]["class"], golden_file.digest("N\nV"))
        self.assertEqual(list(golden.digests["summary"]), ["findings", "input"])


class Pairs(unittest.TestCase):
    def test_beats_are_paired_with_the_nearest_one_within_the_tolerance(self):
        pairs, gone, new = pairing.pair_beats([100, 200, 300, 400], [110, 290, 305, 460], rate_hz=360)
        self.assertEqual((pairs, gone, new), ([(0, 0), (2, 2)], [1, 3], [1, 3]))

    def test_drawn_beats_are_counted_by_class(self):
        recording = next(each for each in RECORDINGS if not isinstance(each, StoredRecording))
        golden = stored(recording.name)
        before = drawn.counts(recording, golden)
        self.assertEqual(before, {key: text for key, text in golden.summary.items() if key.startswith("drawn.")})
        row = next(row for row in golden.rows("beats") if row["class"] == "V")
        row["class"] = "F"
        self.assertEqual(int(drawn.counts(recording, golden)["drawn.V.V"]), int(before["drawn.V.V"]) - 1)


@unittest.skipUnless(program.default_path().is_file(), "the program is not built")
class Command(unittest.TestCase):
    NAME = "strip_10_s"  # the shortest

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="beatscan-golden-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def golden(self, *words):
        done = subprocess.run([sys.executable, ROOT / "scripts/golden", *words, "--expected", self.folder],
                              capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def test_a_planted_wrong_result_is_found(self):
        self.assertEqual(self.golden("compare", self.NAME)[0], 1)  # there is none yet
        self.assertEqual(self.golden("update", self.NAME)[0], 0)
        self.assertEqual(self.golden("compare", self.NAME), (0, ["golden: 1 recording, equal"]))
        self.assertEqual(self.golden("compare", self.NAME, "--decisions"), (0, ["golden: 1 recording, equal"]))
        path = self.folder / f"{self.NAME}.txt"
        right = path.read_text(encoding="utf-8")
        path.write_text(right.replace(" N 1 0 ", " V 1 0 ", 1), encoding="utf-8")
        status, lines = self.golden("compare", self.NAME)
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], rf"^{self.NAME}: beat at [0-9.]+ s \(sample \d+\): V -> N$")
        self.assertEqual(lines[-1], "golden: 1 recording, 1 differs: 1 beat changed class (1 V->N)")
        self.assertEqual(self.golden("update", self.NAME)[0], 0)
        self.assertEqual(path.read_text(encoding="utf-8"), right)

    def test_a_program_that_fails_is_a_difference(self):
        status, lines = self.golden("update", self.NAME, "--program", "/bin/false")
        self.assertEqual((status, lines[0]), (1, f"{self.NAME}: the program ended with status 1"))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_unknown_recording_is_a_wrong_command_line(self):
        self.assertEqual(self.golden("compare", "no_such_recording")[0], 2)


if __name__ == "__main__":
    unittest.main()
