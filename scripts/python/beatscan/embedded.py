"""Calls of the program within this process, by libbeatscan_embedded.so."""
import ctypes
import functools
import json
import os
import subprocess
import threading

from beatscan import errors, program

ONE_AT_A_TIME = threading.Lock()


@functools.cache
def library():
    """Loads the library. PyTorch goes first: both then have the same LibTorch."""
    import torch  # noqa: F401

    path = os.environ.get("BEATSCAN_EMBEDDED") or program.library("libbeatscan_embedded.so")
    try:
        loaded = ctypes.CDLL(str(path))
    except OSError as error:
        raise errors.InternalError(f"{error}; in a checkout, `cmake --build build --target beatscan_embedded` builds it") from error
    loaded.beatscan_run.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    return loaded


def run(request):
    """Does what a request asks for (app/embedded/embedded.h). Ctrl-C ends it. Raises an error of beatscan.errors."""
    text = json.dumps(request).encode()
    message = ctypes.create_string_buffer(4096)
    status = []
    with ONE_AT_A_TIME:
        call = library().beatscan_run  # while it works, other threads of Python run
        worker = threading.Thread(target=lambda: status.append(call(text, message, len(message))), daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(0.1)
        except KeyboardInterrupt:
            while worker.is_alive():  # a call that has only just begun forgets a stop that came before it
                library().beatscan_stop()
                worker.join(0.1)
            raise
    errors.raise_for(status[0], message.value.decode(errors="replace"))


def make_report(folder):
    """Makes report.html again from the other files of a result."""
    done = subprocess.run([program.path(), "report", folder], env=program.environment(), capture_output=True, text=True)
    errors.raise_for(done.returncode, done.stderr.strip())
