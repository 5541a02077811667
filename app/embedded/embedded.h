/* app/embedded/embedded.h: analyses recordings within another program. libbeatscan_embedded.so has these functions,
   with C's calling convention, for Python's ctypes and for any other language. */
#pragma once

#include <cstddef>

extern "C" {

/* Does what `beatscan run` does, or `beatscan score` where a model is given, and writes nothing to stdout and stderr.
   Returns the program's exit status. Writes a message of one line to `message`, cut to `size` bytes with its final 0:
   the error, or nothing. Signals are the calling program's: it calls beatscan_stop() from another thread. One call at a
   time.
     request  JSON: {"inputs": [PATH, ...], "out": PATH} and, where they are wanted, "config", "settings" ["KEY=VALUE"],
              "rate_hz", "lead", "device", "seed", "truth", "model", "save_arrays", "report", "force" */
__attribute__((visibility("default"))) int beatscan_run(const char* request, char* message, std::size_t size) noexcept;

/* Ends the call that is under way as Ctrl-C ends the program, with status 130 and no result. */
__attribute__((visibility("default"))) void beatscan_stop() noexcept;

/* Returns the version of the program. */
__attribute__((visibility("default"))) const char* beatscan_version() noexcept;
}
