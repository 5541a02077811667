#!/usr/bin/env python3
"""Plants upward and circular includes in a copy of the sources; scripts/check_includes must find each."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="beatscan-includes-")
        self.addCleanup(folder.cleanup)
        self.copy = pathlib.Path(folder.name)
        for room in ("kernels", "stages", "app"):
            shutil.copytree(ROOT / room, self.copy / room)

    def plant(self, file, included, quotes='""'):
        path = self.copy / file
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(f"{before}#include {quotes[0]}{included}{quotes[1]}\n", encoding="utf-8")

    def check(self):
        """Returns the exit status and the output."""
        command = [sys.executable, ROOT / "scripts/check_includes", self.copy]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_the_sources_as_they_are_pass(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)
        self.assertIn(" 0 problems", output)

    def test_an_upward_include_is_found(self):
        for file, quotes in (("kernels/runtime/planted.h", '""'), ("kernels/runtime/planted.cu", '""'),
                             ("kernels/runtime/planted.hpp", "<>"), ("stages/common/planted.cpp", "<>")):
            with self.subTest(file):
                self.plant(file, "app/common/numbers.h", quotes)
                status, output = self.check()
                self.assertEqual(status, 1, output)
                self.assertIn(f"includes upwards: {file} -> app/common/numbers.h", output)
                (self.copy / file).unlink()

    def test_folders_that_include_each_other_are_found(self):
        self.plant("kernels/one/one.cuh", "kernels/two/two.h")
        self.plant("kernels/two/two.h", "kernels/three/three.h")
        self.plant("kernels/three/three.h", "kernels/one/one.cuh")  # an indirect cycle
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn("folders include each other: kernels/one, kernels/three, kernels/two", output)

    def test_headers_of_libraries_are_passed_over(self):
        self.plant("kernels/runtime/planted.h", "nvtx3/nvToolsExt.h", "<>")
        self.assertEqual(self.check()[0], 0)

    def test_a_path_that_is_not_from_the_top_is_found(self):
        self.plant("kernels/runtime/planted.h", "error.h")
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn('kernels/runtime/planted.h: includes "error.h"', output)


if __name__ == "__main__":
    suite.main()
