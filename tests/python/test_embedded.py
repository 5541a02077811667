#!/usr/bin/env python3
"""libbeatscan_embedded.so as any program may call it (app/embedded/embedded.h): with C's calling convention, without
PyTorch in the process. Each call is made in a process of its own, whose output is looked at."""
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BEATSCAN_BUILD", ROOT / "build"))
CALL = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.beatscan_run.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
message = ctypes.create_string_buffer(b"#" * 4096)
status = library.beatscan_run(sys.argv[2].encode(), message, int(sys.argv[3]))
sys.stderr.write(message.value.decode())
sys.exit(status)
"""


def call(request, size=4096):
    """Returns the status, what was written to stdout, and the message."""
    done = subprocess.run([sys.executable, "-c", CALL, BUILD / "libbeatscan_embedded.so", request, str(size)],
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Embedded(unittest.TestCase):
    def test_what_is_no_request_is_refused(self):
        for text in ("nonsense", "[]", "{}", '{"inputs": 3, "out": "x"}'):
            status, written, message = call(text)
            self.assertEqual((status, written), (2, ""), text)
            self.assertRegex(message, "^the request (is no JSON object|lacks a key)", text)

    def test_a_message_is_cut_to_its_room(self):
        self.assertEqual(call("nonsense", size=12)[2], "the request")
        self.assertEqual(call("nonsense", size=1)[2], "")
        self.assertEqual(call("nonsense", size=0)[2], "#" * 4096)


if __name__ == "__main__":
    unittest.main()
