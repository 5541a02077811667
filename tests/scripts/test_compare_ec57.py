#!/usr/bin/env python3
"""Plants reports of WFDB's programs; scripts/compare_ec57 must find the counts that differ from the program's."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
from suite import main  # noqa: E402

# Reports in line format, cut short: headings, and a line of the record with its counts and figures.
REPORTS = {"bxb": {"bxb.out": "Record Nn'\na 12 3 99.00 -", "sd.out": "Record Nx\n missed\na 1 0 0.00"},
           "rxr": {"vruns.out": "Record CTs\na 2 0 100 -", "sruns.out": "(SVE run detection)\nRecord CTs\na 0 1 0 -"},
           "epicmp": {"af.out": "(AF detection)\nRecord TPs\na 1 0 100 -", "vf.out": "(VF detection)\nRecord\na 0 0 - -"}}


class CompareEc57(unittest.TestCase):
    def compare(self, counts, programs=REPORTS):
        """Returns the exit status, the lines on stdout, and stderr."""
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            for name in ("bin", "out/a", "mitdb"):
                (work / name).mkdir(parents=True)
            for name in ("out/a/a.vae", "mitdb/a.atr", "mitdb/a.hea"):
                (work / name).write_text("")
            for name, reports in programs.items():
                self.plant(work / "bin" / name, "".join(f"cat >{file} <<'END'\n{text}\nEND\n"
                                                        for file, text in reports.items()))
            self.plant(work / "bin/beatscan", f"echo '{json.dumps({'records': {'a': self.record(counts)}})}'\n")
            done = subprocess.run([sys.executable, ROOT / "scripts/compare_ec57", work / "out", work / "mitdb",
                                   "--program", work / "bin/beatscan"], capture_output=True, text=True, check=False,
                                  env=os.environ | {"PATH": f"{work}/bin:/usr/bin:/bin"})
            return done.returncode, done.stdout.splitlines(), done.stderr

    def plant(self, path, script):
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)

    def record(self, counts):
        tables = {place: {"counts": dict(zip("pq", pair))} for place, pair in counts.items()}
        return {"beats": tables["beats"], "shutdown": tables["shutdown"],
                "runs": {"V": tables["V"], "S": tables["S"]}, "episodes": {"AF": tables["AF"], "VF": tables["VF"]}}

    def test_the_same_counts(self):
        counts = {"beats": (12, 3), "shutdown": (1, 0), "V": (2, 0), "S": (0, 1), "AF": (1, 0), "VF": (0, 0)}
        self.assertEqual(self.compare(counts), (0, ["1 recordings, 0 counts differ"], ""))

    def test_other_counts(self):
        counts = {"beats": (12, 4), "shutdown": (1, 0), "V": (2, 0), "S": (0, 2), "AF": (1, 0), "VF": (1, 0)}
        self.assertEqual(self.compare(counts), (1, ["a beats q: 4, WFDB 3", "a runs/S q: 2, WFDB 1",
                                                    "a episodes/VF p: 1, WFDB 0", "1 recordings, 3 counts differ"], ""))

    def test_without_the_programs(self):
        status, _, error = self.compare(dict.fromkeys(("beats", "shutdown", "V", "S", "AF", "VF"), (0, 0)), {})
        self.assertEqual(status, 2)
        self.assertIn("not on the PATH: bxb, rxr, epicmp; build the WFDB Software Package", error)


if __name__ == "__main__":
    main()
