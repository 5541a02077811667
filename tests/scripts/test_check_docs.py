#!/usr/bin/env python3
"""Plants broken links in a checkout of one file; scripts/check_docs must find each."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))
import suite  # noqa: E402


class CheckDocs(unittest.TestCase):
    def problems(self, text):
        """Returns the output for a README with this text, beside an empty file here.md."""
        with tempfile.TemporaryDirectory(prefix="beatscan-docs-") as folder:
            pathlib.Path(folder, "README.md").write_text(text, encoding="utf-8")
            pathlib.Path(folder, "here.md").touch()
            subprocess.run(["git", "init", "-q", folder], check=True)
            done = subprocess.run([sys.executable, ROOT / "scripts/check_docs", folder], capture_output=True, text=True,
                                  check=False)
        *problems, total = done.stdout.splitlines()
        self.assertEqual(total, f"docs: 2 files, {len(problems)} problems")
        self.assertEqual(done.returncode, 1 if problems else 0)
        return problems

    def test_links_that_lead_somewhere_pass(self):
        text = "# A Title\n\nSee [a](here.md), [b](#a-title), [c][one], [Two][] and `x[i][j]`.\n\n"
        self.assertEqual(self.problems(text + "[one]: here.md\n[two]: #a-title\n"), [])

    def test_a_link_that_leads_nowhere_is_found(self):
        for link in ("[a](gone.md)", "[a](here.md#gone)", "[a][gone]", "[gone][]", "[one]: gone.md", "[one]: <#gone>"):
            with self.subTest(link):
                (problem,) = self.problems(f"# A title\n\n{link}\n")
                self.assertIn("gone", problem)


if __name__ == "__main__":
    suite.main()
