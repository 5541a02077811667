"""Runs the tests of a script and prints how many passed, failed and were skipped, and why.

The last line of every script, which scripts/test adds up, is like this:

    suite: {"passed": 3, "failed": 0, "skipped": {"needs a GPU": 2}}

The exit status is 1 if a test failed, 77 (skipped, for ctest) if none passed, and otherwise 0.
"""
import collections
import json
import sys
import unittest

NEEDS_GPU = "needs a GPU"


class Result(unittest.TextTestResult):
    """Counts the tests that passed; unittest counts the others."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


class Runner(unittest.TextTestRunner):
    resultclass = Result


def main():
    """Runs the tests of the script as unittest.main() does, and ends the script."""
    end(unittest.main(testRunner=Runner, exit=False).result)


def run(tests):
    """Runs a unittest.TestSuite, and ends the script."""
    end(Runner().run(tests))


def end(result):
    """Ends the script with the counts of a Result."""
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    failed = {test.test_case if hasattr(test, "test_case") else test for test, _ in result.failures + result.errors}
    finish(result.passed, len(failed) + len(result.unexpectedSuccesses), (reason for _, reason in result.skipped))


def finish(passed, failed, skipped=()):
    """Prints the counts and ends the script. `skipped` has the reason of each skipped test."""
    reasons = collections.Counter(skipped)
    print(f"suite: {json.dumps({'passed': passed, 'failed': failed, 'skipped': reasons})}", flush=True)
    sys.exit(1 if failed else 0 if passed else 77)


def skip(reason):
    """Ends a script of which no test can run."""
    print(f"skipped: {reason}")
    finish(0, 0, [reason])
