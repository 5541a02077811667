#!/usr/bin/env python3
"""Plants faults in a wheel; scripts/check_wheel must find each. `true` replaces the programs."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402

SHARE = "beatscan-1.data/data/share/"
LIBRARIES = ("embedded", "kernels", "parquet", "vae", "vae_cuda")
PROGRAMS = ["bin/beatscan", *(f"lib/libbeatscan_{name}.so" for name in LIBRARIES)]
MODULES = ("__init__", "__main__", "analysis", "autoencoder", "autograd", "delineation", "embedded", "errors", "model",
           "operators", "program", "result", "samples")
FILES = [*(f"beatscan/{name}.py" for name in MODULES), "beatscan/py.typed",
         *(f"beatscan/data/{name}" for name in ("mitdb_205.csv", "mitdb_205.truth.csv", "README.md")),
         *(f"beatscan/{name}" for name in PROGRAMS),
         *(f"beatscan/sources/stages/model/torch/{name}.cpp" for name in (
             "vae_engine", "vae_library", "vae_module", "vae_score", "cuda/lent_memory")),
         *(f"beatscan/sources/{name}.h" for name in ("stages/model/vae_library", "kernels/runtime/device_memory")),
         *(f"{SHARE}beatscan/configs/{name}.json" for name in ("default", "seed")),
         *(f"{SHARE}doc/beatscan/{name}" for name in ("LICENSE", "README.md", "docs/notices.md")),
         f"{SHARE}man/man1/beatscan.1", f"{SHARE}bash-completion/completions/beatscan",
         f"{SHARE}zsh/site-functions/_beatscan", f"{SHARE}fish/vendor_completions.d/beatscan.fish",
         *(f"beatscan-1.dist-info/licenses/{name}" for name in ("LICENSE", "notices.md"))]


class CheckWheel(unittest.TestCase):
    def problems(self, names, mode=0o755, wheel="w.whl"):
        """Returns the problems of a wheel with these files."""
        true = pathlib.Path(shutil.which("true")).read_bytes()
        with tempfile.TemporaryDirectory(prefix="beatscan-wheel-") as folder:
            path = pathlib.Path(folder, wheel)
            with zipfile.ZipFile(path, "w") as archive:
                for name in names:
                    entry = zipfile.ZipInfo(name)
                    entry.external_attr = mode << 16
                    archive.writestr(entry, true if name.startswith(("beatscan/bin/", "beatscan/lib/")) else "")
            done = subprocess.run([sys.executable, ROOT / "scripts/check_wheel", path], capture_output=True, text=True,
                                  check=False)
        *problems, total = done.stdout.splitlines()
        self.assertTrue(total.endswith(f" {len(problems)} problems"), total)
        self.assertEqual(done.returncode, 1 if problems else 0)
        return problems

    def test_a_whole_wheel_has_no_problem(self):
        self.assertEqual(self.problems(FILES), [])

    def test_each_missing_file_is_reported(self):
        for name in FILES:
            with self.subTest(name):
                (problem,) = self.problems([other for other in FILES if other != name])
                self.assertIn(name.split("/")[-1], problem)

    def test_a_wheel_for_aarch64_has_no_part_for_gpus(self):
        names = [name for name in FILES if not name.endswith("vae_cuda.so")]
        self.assertEqual(self.problems(names, wheel="w-manylinux_2_34_aarch64.whl"), [])

    def test_a_program_that_is_not_executable_is_reported(self):
        self.assertEqual(self.problems(FILES, 0o644), ["w.whl: beatscan/bin/beatscan may not be executed"])


if __name__ == "__main__":
    suite.main()
