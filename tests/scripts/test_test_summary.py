#!/usr/bin/env python3
"""Plants results of tests in a folder; scripts/test_summary must add them up, and fail if one failed."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
from suite import main  # noqa: E402

CTEST = "<testsuite>{}</testsuite>"
TEST = '<testcase name="{name}" status="{status}" time="1.5"><system-out>{output}</system-out></testcase>'
SHARD = '<testsuites><testsuite name="A">{}</testsuite></testsuites>'
PASSED = '<testcase classname="A" name="Passes" status="run" result="completed" time="0.1" />'
SLOW = '<testcase classname="A" name="IsSlow" status="run" result="completed" time="61" />'
FAILED = '<testcase classname="A" name="Fails" status="run" result="completed" time="0"><failure message="" /></testcase>'
SKIPPED = ('<testcase classname="A" name="Skips" status="run" result="skipped" time="0">'
           '<skipped message="a.cpp:3&#x0A;{}" /></testcase>')
DISABLED = '<testcase classname="A" name="DISABLED_Waits" status="notrun" result="suppressed" time="0" />'


class Summary(unittest.TestCase):
    def summary(self, tests, files, *options):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder) / "results"
            results.mkdir()
            (results / "ctest.xml").write_text(CTEST.format("".join(TEST.format(**test) for test in tests)))
            for name, cases in files.items():
                (results / f"{name}.xml").write_text(SHARD.format("".join(cases)))
            done = subprocess.run([ROOT / "scripts/test_summary", *options, folder], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout.splitlines()

    def shard(self, cases, status="run", **more):
        return self.summary([{"name": "beatscan_tests_0", "status": status, "output": ""}],
                            {"beatscan_tests_0": cases} if cases else {}, *more.get("options", ()))

    def script(self, status, output):
        return self.summary([{"name": "ops", "status": status, "output": output}], {})

    def assert_sum(self, result, status, line):
        self.assertEqual((result[0], result[1][-1]), (status, f"tests: {line}"), result)

    def test_a_shard(self):
        result = self.shard([PASSED, PASSED, SKIPPED.format("needs a GPU: no driver"), DISABLED])
        self.assert_sum(result, 0, "2 passed, 0 failed, 1 skipped")
        self.assertIn("skipped 1: needs a GPU", result[1])

    def test_a_test_that_failed(self):
        result = self.shard([PASSED, FAILED], status="fail")
        self.assert_sum(result, 1, "1 passed, 1 failed, 0 skipped")
        self.assertIn("failed: A.Fails", result[1])

    def test_a_shard_that_crashed(self):
        result = self.shard([], status="fail")
        self.assert_sum(result, 1, "0 passed, 1 failed, 0 skipped")

    def test_a_shard_that_failed_at_its_end(self):
        self.assert_sum(self.shard([PASSED], status="fail"), 1, "1 passed, 1 failed, 0 skipped")

    def test_nothing_ran(self):
        self.assert_sum(self.shard([SKIPPED.format("needs a GPU")]), 1, "0 passed, 0 failed, 1 skipped")

    def test_a_skip_without_a_gpu_fails_where_it_may_not_be(self):
        cases = [PASSED, SKIPPED.format("zsh is not installed"), SKIPPED.format("needs a GPU")]
        self.assert_sum(self.shard(cases), 0, "1 passed, 0 failed, 2 skipped")
        self.assert_sum(self.shard(cases, options=["--strict"]), 1, "1 passed, 1 failed, 2 skipped")

    def test_a_slow_test_is_named(self):
        self.assertIn("  slow: A.IsSlow, 61.0 s", self.shard([SLOW])[1])

    def test_a_script(self):
        self.assert_sum(self.script("run", "passed"), 0, "1 passed, 0 failed, 0 skipped")
        self.assert_sum(self.script("fail", "Traceback"), 1, "0 passed, 1 failed, 0 skipped")
        self.assert_sum(self.script("notrun", ""), 1, "0 passed, 1 failed, 0 skipped")
        result = self.script("notrun", "skipped: there is no numpy; install it")
        self.assert_sum(result, 1, "0 passed, 0 failed, 1 skipped")

    def test_a_script_that_counts(self):
        counts = 'suite: {"passed": 3, "failed": 0, "skipped": {"needs a GPU": 2}}'
        self.assert_sum(self.script("run", f"text\n{counts}\n"), 0, "3 passed, 0 failed, 2 skipped")
        self.assert_sum(self.script("fail", counts), 1, "3 passed, 1 failed, 2 skipped")


if __name__ == "__main__":
    main()
