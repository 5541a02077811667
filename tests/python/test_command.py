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
echo "${BEATSCAN_VAE_LIBRARY-}${BEATSCAN_LIBTORCH_VERSION+ $BEATSCAN_LIBTORCH_VERSION}"
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
        (self.site / "beatscan" / "lib").mkdir(exist_ok=True)
        for name in ("vae", "vae_cuda"):
            (self.site / "beatscan" / "lib" / f"libbeatscan_{name}.so").touch()
        (folder / "torch" / "lib").mkdir(parents=True)
        (folder / "torch" / "version.py").write_text(f"__version__ = '{version}'\ncuda: Optional[str] = {cuda}\n")
        (folder / "torch" / "__init__.py").write_text("raise SystemExit('PyTorch was imported')\n")

    def run_command(self, *folders, words=(), **environment):
        """Returns the status and the lines that are printed, with these folders on Python's path after the package's."""
        known = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        done = subprocess.run(
            [sys.executable, "-S", "-c", "import sys; from beatscan.program import main; sys.exit(main())", "run", "a b", *words],
            env={**known, "PYTHONPATH": ":".join(map(str, [self.site, *folders])), **environment},
            capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).splitlines()

    def test_the_program_takes_arguments_and_environment_as_they_are(self):
        self.add_torch(self.site)
        self.assertEqual(self.run_command(), (7, ["run a b", "none", "", ""]))
        self.assertEqual(self.run_command(LD_LIBRARY_PATH="/x"), (7, ["run a b", "/x", "", ""]))

    def test_libraries_are_found_where_pytorch_is_in_another_folder(self):
        other = pathlib.Path(self.folder.name, "other")
        self.add_torch(other)
        (other / "nvidia" / "cu13" / "lib").mkdir(parents=True)
        folders = f"{other}/torch/lib:{other}/nvidia/cu13/lib"
        self.assertEqual(self.run_command(other), (7, ["run a b", folders, "", ""]))
        self.assertEqual(self.run_command(other, LD_LIBRARY_PATH="/x"), (7, ["run a b", f"{folders}:/x", "", ""]))

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

    def test_libraries_of_another_pytorch_are_not_loaded(self):
        (self.site / "beatscan" / "sources").mkdir()
        for version, cuda, words in (("2.11.0+cpu", "None", "is PyTorch 2.11.0+cpu for the CPU, for which autograd is not compiled"),
                                     ("2.12.0", "'12.6'", "is PyTorch 2.12.0 with CUDA 12.6, for which autograd is not compiled"),
                                     ("2.1.1", "'13.0'", "is PyTorch 2.1.1 with CUDA 13.0; this needs 2.8 or later")):
            with self.subTest(version):
                other = pathlib.Path(self.folder.name, version)
                self.add_torch(other, version, cuda)
                status, (_, folders, problem, library) = self.run_command(other)
                self.assertEqual((status, folders, library), (7, "none", ""))
                self.assertIn(words, problem)
                self.assertRegex(problem, "pip install|-m beatscan.autograd")

    def test_autograd_is_compiled_once_for_another_pytorch(self):
        """A shell script replaces the compiler, and reports its calls in a file."""
        folder = pathlib.Path(self.folder.name)
        (self.site / "beatscan" / "sources").mkdir()
        compiler = folder / "compiler"
        compiler.write_text('#!/bin/sh\ncat >/dev/null\nwhile [ $# -gt 0 ] && [ "$1" != -o ]; do shift; done\n[ $# -gt 0 ] || exit 0\n'
                            f'echo "$2" | sed "s,.*/,," >>{folder}/calls\n: >"$2"\n')
        compiler.chmod(0o755)
        other = folder / "other"
        self.add_torch(other, "2.9.1", "'12.8'")
        settings = {"CXX": str(compiler), "XDG_CACHE_HOME": str(folder / "cache")}
        for words in (["--set", "vae.engine=autograd"], ["--set", "vae.engine=autograd"], []):
            status, (_, _, problem, library, *_) = self.run_command(other, words=words, **settings)
            self.assertEqual((status, problem), (7, ""))
            self.assertRegex(library, r"/cache/beatscan/torch-2\.9\.1-\w+/libbeatscan_vae\.so 2\.9\.1$")
        self.assertEqual((folder / "calls").read_text().split(), ["libbeatscan_vae_cuda.so", "libbeatscan_vae.so"])

    def test_a_compiler_that_is_missing_or_fails_is_reported(self):
        folder = pathlib.Path(self.folder.name)
        (self.site / "beatscan" / "sources").mkdir()
        self.add_torch(folder / "other", "2.9.1", "None")
        failing = folder / "failing"
        failing.write_text("#!/bin/sh\necho 'x.h:1: error: no such thing' >&2\nexit 1\n")
        failing.chmod(0o755)
        for environment, words in (({"PATH": str(folder / "empty")}, "must be compiled; install g\\+\\+ or clang\\+\\+, or PyTorch 2.11"),
                                   ({"CXX": str(failing)}, "cannot be compiled by .*failing: x.h:1: error: no such thing; PyTorch 2.11")):
            with self.subTest(words):
                _, lines = self.run_command(folder / "other", words=["--set", "vae.engine=autograd"],
                                            XDG_CACHE_HOME=str(folder / "cache"), **environment)
                self.assertRegex(lines[2], words)

    def test_the_program_works_without_pytorch(self):
        status, (_, folders, problem, _) = self.run_command()
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
