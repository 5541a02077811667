#!/usr/bin/env python3
"""libbeatscan_embedded.so as called by another program (app/python/embedded/embedded.h): with C's calling convention, without
PyTorch in the process. Each call runs in a separate process, whose output is checked."""
import _thread
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import suite

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "python"))
from beatscan import embedded, errors  # noqa: E402

BUILD = pathlib.Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build"))
CALL = """
import ctypes, locale, sys
locale.setlocale(locale.LC_ALL, "")
library = ctypes.CDLL(sys.argv[1])
library.beatscan_run.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
message = ctypes.create_string_buffer(b"#" * 4096)
status = library.beatscan_run(sys.argv[2].encode(), message, int(sys.argv[3]))
sys.stderr.write(message.value.decode())
sys.exit(status)
"""


def call(request, size=4096, environment=None):
    """Returns the status, what was written to stdout, and the message."""
    done = subprocess.run([sys.executable, "-c", CALL, BUILD / "libbeatscan_embedded.so", request, str(size)],
                          env={**os.environ, "LC_ALL": "C", **(environment or {})}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Embedded(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="beatscan-embedded-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        lines = (ROOT / "data" / "mitdb_205.csv").read_text().splitlines(keepends=True)[:9000]
        for name in ("a.csv", "b.csv"):
            (self.folder / name).write_text("".join(lines))

    def request(self, inputs, out):
        return json.dumps({"inputs": [str(self.folder / name) for name in inputs], "out": str(self.folder / out),
                           "rate_hz": 360, "device": "cpu", "report": False})

    def test_a_batch_writes_its_files_and_nothing_to_stdout(self):
        self.assertEqual(call(self.request(["a.csv", "b.csv"], "out")), (0, "", ""))
        self.assertTrue((self.folder / "out/cohort.csv").exists() and (self.folder / "out/a/beats.csv").exists())

    def test_the_locale_of_the_program_does_not_change_the_files(self):
        """In a German locale, C's functions write 1,5 for 1.5."""
        if not shutil.which("localedef"):
            self.skipTest("needs localedef")
        locales = self.folder / "locales"
        locales.mkdir()
        subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", locales / "de_DE.UTF-8"], capture_output=True)
        german = {"LOCPATH": str(locales), "LC_ALL": "de_DE.UTF-8"}
        found = subprocess.run([sys.executable, "-c", "import locale; locale.setlocale(locale.LC_ALL, ''); print(f'{0.5:n}')"],
                              env={**os.environ, **german}, capture_output=True, text=True).stdout
        if found.strip() != "0,5":
            self.skipTest("needs the source of the locale de_DE (Debian: locales)")
        self.assertEqual(call(self.request(["a.csv"], "plain")), (0, "", ""))
        self.assertEqual(call(self.request(["a.csv"], "german"), environment=german), (0, "", ""))
        for name in ("beats.csv", "episodes.csv", "templates.csv", "abnormal.csv", "quality.csv", "config.json"):
            plain, other = ((self.folder / out / name).read_text() for out in ("plain", "german"))
            self.assertEqual(plain, other, name)

    def test_what_is_no_request_is_refused(self):
        for text, why in (("nonsense", "is not JSON: .*at line 1, column 2"), ("[]", "is not a JSON object; give"),
                          ("{}", "lacks a key"), ('{"inputs": 3, "out": "x"}', "lacks a key")):
            status, written, message = call(text)
            self.assertEqual((status, written), (2, ""), text)
            self.assertRegex(message, "^the request " + why, text)

    def test_a_path_that_is_not_utf8_is_named(self):
        with self.assertRaisesRegex(errors.UsageError, r"caf.udce9.csv.* is not UTF-8; rename the file"):
            embedded.run({"inputs": [os.fsdecode(b"caf\xe9.csv")], "out": "out"})

    def test_a_message_is_cut_to_its_room(self):
        self.assertEqual(call("nonsense", size=12)[2], "the request")
        self.assertEqual(call("nonsense", size=1)[2], "")
        self.assertEqual(call("nonsense", size=0)[2], "#" * 4096)

    def test_ctrl_c_ends_a_call_that_has_only_just_begun(self):
        """The library discards a stop that came before the call, so a single one may be lost."""
        library = SlowLibrary()
        with unittest.mock.patch.object(embedded, "library", lambda: library):
            threading.Timer(0.2, _thread.interrupt_main).start()
            with self.assertRaises(KeyboardInterrupt):
                embedded.run({})
        self.assertTrue(library.was_stopped)


class SlowLibrary:
    """Takes a while to start, and then waits for a stop, with a time limit."""

    def __init__(self):
        self.stops, self.was_stopped = 0, False

    def beatscan_run(self, *_):
        time.sleep(0.5)
        self.stops = 0
        deadline = time.monotonic() + 20
        while self.stops == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        self.was_stopped = self.stops > 0
        return 130

    def beatscan_stop(self):
        self.stops += 1


if __name__ == "__main__":
    suite.main()
