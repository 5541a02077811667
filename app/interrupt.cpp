#include "app/interrupt.h"

#include <csignal>

namespace beatscan {
namespace {

volatile std::sig_atomic_t caught = 0;

void remember(int signal) {
  caught = signal;
  std::signal(signal, SIG_DFL);  // a second one ends the program at once
}

}  // namespace

void catch_signals() {
  std::signal(SIGINT, remember);
  std::signal(SIGTERM, remember);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error
}

void throw_if_interrupted() {
  if (caught) throw Interrupted{static_cast<int>(caught)};
}

}  // namespace beatscan
