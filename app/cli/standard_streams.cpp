#include "app/cli/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

// Returns whether standard output is a pipe without a reader. errno cannot be used: a later call may have set it.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP));
}

bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

}  // namespace

// open() returns the lowest free descriptor, so each missing stream gets its own number.
void open_missing_streams() {
  if (!is_open(STDIN_FILENO)) static_cast<void>(!open("/dev/null", O_RDONLY));
  if (!is_open(STDOUT_FILENO) && open("/dev/full", O_WRONLY) < 0) static_cast<void>(!open("/dev/null", O_WRONLY));
  if (!is_open(STDERR_FILENO)) static_cast<void>(!open("/dev/null", O_WRONLY));
}

void finish_stdout() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0 && !std::ferror(stdout) && std::cout.flush().good();
  if (flushed || reader_is_gone()) return;
  fail(ErrorKind::output, "standard output",
       std::string("cannot be written") + (errno ? std::string(" (") + std::strerror(errno) + ")" : "") +
           "; write it to another place");
}

}  // namespace beatscan
