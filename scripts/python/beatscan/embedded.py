"""Runs the program within this process, by libbeatscan_embedded.so."""
import ctypes
import functools
import importlib
import json
import os
import subprocess
import threading

from beatscan import autograd, errors, program

ONE_AT_A_TIME = threading.Lock()


@functools.cache
def library():
    """Loads the library."""
    try:
        loaded = ctypes.CDLL(str(program.library("libbeatscan_embedded.so")))
    except OSError as error:
        raise errors.InternalError(f"{error}; in a checkout, `cmake --build build --target beatscan_embedded` builds it") from error
    loaded.beatscan_run.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    return loaded


def prepare_libtorch(request):
    """Loads PyTorch if the request may need LibTorch, so that both use the same, or says to the library why it cannot."""
    settings = request.get("settings", ())
    if "config" not in request and "model" not in request and not any(
            each.startswith(("vae.", "rows.", "embed.")) for each in settings):
        return
    for name in autograd.VARIABLES:
        os.environ.pop(name, None)
    os.environ.update(autograd.environment(" ".join(settings)))
    if "BEATSCAN_NO_LIBTORCH" not in os.environ:
        importlib.import_module("torch")


def run(request):
    """Runs a request (app/python/embedded/embedded.h). Ctrl-C ends it. Raises an error of beatscan.errors."""
    try:
        text = json.dumps(request, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise errors.UsageError(f"{error.object[max(error.start - 40, 0):error.end + 40]!r} is not UTF-8; rename the file") from error
    message = ctypes.create_string_buffer(4096)
    status, done = [], threading.Event()  # Thread.join() forgets a thread that still works when Ctrl-C comes (Python 3.11)

    def work():
        try:
            status.append(library().beatscan_run(text, message, len(message)))  # lets other Python threads run
        finally:
            done.set()

    with ONE_AT_A_TIME:
        prepare_libtorch(request)
        library()
        try:
            threading.Thread(target=work, daemon=True).start()
            while not done.wait(0.1):
                pass
        except KeyboardInterrupt:
            while not done.is_set():  # a call that has just begun discards an earlier stop
                library().beatscan_stop()
                done.wait(0.1)
            raise
    errors.raise_for(status[0], message.value.decode(errors="replace"))


def make_report(folder):
    """Recreates report.html from the other files of a result."""
    done = subprocess.run([program.path(), "report", folder], env=program.environment(), capture_output=True, text=True)
    errors.raise_for(done.returncode, done.stderr.strip())
