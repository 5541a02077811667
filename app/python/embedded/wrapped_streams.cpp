// Debian's libbz2.a refers to stderr and stdout in a way that a program may use and a shared library may not. The
// linker (--wrap) redirects these references to variables of this library, which hold the same streams.
#include <cstdio>

extern "C" {

extern FILE *__real_stdin, *__real_stdout, *__real_stderr;
__attribute__((visibility("hidden"))) FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;

// Runs when the library is loaded, before its other initialisers.
__attribute__((constructor(101))) static void take_streams() {
  __wrap_stdin = __real_stdin;
  __wrap_stdout = __real_stdout;
  __wrap_stderr = __real_stderr;
}
}
