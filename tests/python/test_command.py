#!/usr/bin/env python3
"""The command `beatscan` of the Python package finds the libraries of other packages for the program.

A shell script replaces the program, and folders with version.py replace PyTorch.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import suite

PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "python" / "beatscan"
PROGRAM = """#!/bin/sh
echo "$@"
echo "${LD_LIBRARY_PATH-none}"
echo "${BEATSCAN_NO_LIBTORCH-}"
exit 7
"""


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="beatscan-command-")
        self.addCleanup(self.folder.cleanup)
        self.site = pathlib.Path(self.folder.name, "site")
        shutil.copytree(PACKAGE, self.site / "beatscan", ignore=shutil.ignore_patterns("__pycache__"))
        program = self.site / "beatscan" / "bin" / "beatscan"
        program.parent.mkdir()
        program.write_text(PROGRAM)
        program.chmod(0o755)

    def add_torch(self, folder, version="2.11.0+cu130", cuda="'13.0'"):
        (folder / "torch" / "lib").mkdir(parents=True)
        (folder / "torch" / "version.py").write_text(f"__version__ = '{version}'\ncuda: Optional[str] = {cuda}\n")
        (folder / "torch" / "__init__.py").write_text("raise SystemExit('PyTorch was imported')\n")

    def run_command(self, *folders, **environment):
        """Returns the status and the lines that are printed, with these folders on Python's path after the package's."""
        known = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        done = subprocess.run(
            [sys.executable, "-S", "-c", "import sys; from beatscan.program import main; sys.exit(main())", "run", "a b"],
            env={**known, "PYTHONPATH": ":".join(map(str, [self.site, *folders])), **environment},
            capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def test_the_program_takes_arguments_and_environment_as_they_are(self):
        self.add_torch(self.site)
        self.assertEqual(self.run_command(), (7, ["run a b", "none", ""]))
        self.assertEqual(self.run_command(LD_LIBRARY_PATH="/x"), (7, ["run a b", "/x", ""]))

    def test_libraries_are_found_where_pytorch_is_in_another_folder(self):
        other = pathlib.Path(self.folder.name, "other")
        self.add_torch(other)
        (other / "nvidia" / "cu13" / "lib").mkdir(parents=True)
        folders = f"{other}/torch/lib:{other}/nvidia/cu13/lib"
        self.assertEqual(self.run_command(other), (7, ["run a b", folders, ""]))
        self.assertEqual(self.run_command(other, LD_LIBRARY_PATH="/x"), (7, ["run a b", f"{folders}:/x", ""]))

    def test_the_program_is_named_as_the_shell_finds_it(self):
        self.add_torch(self.site)
        folder = pathlib.Path(self.folder.name, "bin")
        folder.mkdir()
        script = folder / "beatscan"
        script.write_text(f"#!{sys.executable} -S\nimport sys\nfrom beatscan.program import main\nsys.exit(main())\n")
        script.chmod(0o755)
        program = self.site / "beatscan" / "bin" / "beatscan"
        shutil.copy(shutil.which("sh"), program)  # prints the name that it was called by
        for path, name in ((f"{folder}:{os.environ['PATH']}", "beatscan"), (os.environ["PATH"], str(script))):
            with self.subTest(name):
                done = subprocess.run([script, "-c", "echo $0"], env={**os.environ, "PYTHONPATH": str(self.site), "PATH": path},
                                      capture_output=True, text=True, check=True)
                self.assertEqual(done.stdout.strip(), name)

    def test_libraries_of_an_incompatible_pytorch_are_not_loaded(self):
        for version, cuda, words in (("2.11.0+cpu", "None", "is PyTorch 2.11.0+cpu with CUDA None; this needs 2.11"),
                                     ("2.11.0+cu126", "'12.6'", "is PyTorch 2.11.0+cu126 with CUDA 12.6; this needs"),
                                     ("2.1.1", "'13.0'", "is PyTorch 2.1.1 with CUDA 13.0; this needs")):
            with self.subTest(version):
                other = pathlib.Path(self.folder.name, version)
                self.add_torch(other, version, cuda)
                status, (_, folders, problem) = self.run_command(other)
                self.assertEqual((status, folders), (7, "none"))
                self.assertIn(words, problem)
                self.assertIn("pip install", problem)

    def test_the_program_works_without_pytorch(self):
        status, (_, folders, problem) = self.run_command()
        self.assertEqual((status, folders, problem[:20]), (7, "none", "there is no PyTorch;"))

    def test_help_and_all_names_need_no_pytorch(self):
        self.add_torch(self.site)  # fails if it is imported
        script = ("import pydoc, beatscan; from beatscan import *; text = pydoc.render_doc(beatscan, renderer=pydoc.plaintext); "
                  "print([name for name in beatscan.__all__ if name not in text])")
        done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(self.site)},
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "[]"), done.stderr)

    def test_what_needs_pytorch_says_so(self):
        script = "import sys; sys.modules['torch'] = None; import beatscan\ntry: beatscan.{}\nexcept beatscan.errors.UsageError as e: print(e)"
        for call in ("operators.load()", "model.load('x')", "delineate([0.0], 360)"):
            with self.subTest(call):
                done = subprocess.run([sys.executable, "-c", script.format(call)], env={**os.environ, "PYTHONPATH": str(self.site)},
                                      capture_output=True, text=True, check=False)
                self.assertRegex(done.stdout, "needs? torch: pip install 'torch", done.stderr)

    def test_no_program_is_reported(self):
        (self.site / "beatscan" / "bin" / "beatscan").chmod(0o644)
        status, (line,) = self.run_command()
        self.assertEqual(status, 1)
        self.assertIn(str(self.site / "beatscan" / "bin" / "beatscan"), line)


if __name__ == "__main__":
    suite.main()
