/* app/python/embedded/embedded.h: analyses recordings within another program. libbeatscan_embedded.so has these
   functions, with C's calling convention, for Python's ctypes and for any other language. */
#pragma once

#include <cstddef>

extern "C" {

/* Does what `beatscan run` does, or `beatscan score` where a model is given, and writes nothing to stdout and stderr.
 * Signals are the calling program's: it calls beatscan_stop() from another thread. One call at a time.
 *
 * Returns the program's exit status. Writes the error as one line to `message`, or an empty text where there is none.
 * The text is cut to `size` bytes with its final 0; with a size of 0 nothing is written.
 *
 * request: a JSON object with
 *   "inputs"       [PATH, ...]; several make a batch
 *   "out"          PATH of the folder for the result
 * and, where they are wanted,
 *   "config"       PATH, or the name of a built-in configuration
 *   "settings"     ["KEY=VALUE", ...]
 *   "rate_hz"      number
 *   "seed"         number
 *   "lead", "device", "truth", "model"  texts, as the options of these names take
 *   "save_arrays"  false if it is missing
 *   "report"       whether report.html is made; true if it is missing
 *   "force"        whether an earlier result in "out" is replaced; false if it is missing */
__attribute__((visibility("default"))) int beatscan_run(const char* request, char* message, std::size_t size) noexcept;

/* Ends the call that is under way as Ctrl-C ends the program, with status 130 and no result. A call that has only just
 * begun may forget a stop: call this again until beatscan_run() returns. */
__attribute__((visibility("default"))) void beatscan_stop() noexcept;

/* Returns the version of the program. */
__attribute__((visibility("default"))) const char* beatscan_version() noexcept;
}
