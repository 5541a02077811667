#!/usr/bin/env python3
"""Plants test scripts; tests/python/suite.py must count their tests and end them with the right status."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402

HEAD = f"import sys, unittest\nsys.path.insert(0, {str(ROOT / 'tests/python')!r})\nimport suite\n"
CASE = HEAD + "class A(unittest.TestCase):\n{}\nsuite.main()\n"
PASSES = "    def test_passes(self): pass\n"
SKIPPED = "    @unittest.skip('needs a GPU')\n    def test_skipped(self): pass\n"
FAILS = "    def test_fails(self): raise OSError\n"
FAILS_TWICE = "    def test_fails_twice(self):\n        for i in 1, 2:\n            with self.subTest(i): self.fail()\n"


class Suite(unittest.TestCase):
    def run_script(self, text):
        """Returns the exit status and the lines on stdout."""
        with tempfile.TemporaryDirectory(prefix="beatscan-suite-") as folder:
            script = pathlib.Path(folder, "test_planted.py")
            script.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_counts_of_a_script_that_passes(self):
        self.assertEqual(self.run_script(CASE.format(PASSES + SKIPPED)), (0, [
            "skipped: __main__.A.test_skipped: needs a GPU",
            'suite: {"passed": 1, "failed": 0, "skipped": {"needs a GPU": 1}}']))

    def test_a_test_with_two_failures_counts_once(self):
        self.assertEqual(self.run_script(CASE.format(PASSES + FAILS + FAILS_TWICE)),
                         (1, ['suite: {"passed": 1, "failed": 2, "skipped": {}}']))

    def test_a_script_without_a_test_that_ran_is_skipped(self):
        counts = 'suite: {"passed": 0, "failed": 0, "skipped": {"needs a GPU": 1}}'
        self.assertEqual(self.run_script(CASE.format(SKIPPED)),
                         (77, ["skipped: __main__.A.test_skipped: needs a GPU", counts]))
        self.assertEqual(self.run_script(HEAD + "suite.skip('needs a GPU')\n"), (77, ["skipped: needs a GPU", counts]))


if __name__ == "__main__":
    suite.main()
