#include "stages/common/interrupt.h"

#include <poll.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace beatscan {
namespace {

std::atomic<int> caught = 0;
std::atomic<int> requests = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may write to lock-free atomics only");

void remember(int signal) {
  caught = signal;
  if (signal != SIGINT) ++requests;
}

void request_checkpoint(int) { ++requests; }

// Installs a handler, unless the signal was being ignored before. Flag SA_RESETHAND makes a second signal of the kind
// end the program at once.
void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction before = {}, action = {};
  if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, remember, static_cast<int>(SA_RESETHAND));
  handle(SIGUSR1, request_checkpoint, 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void pretend_signal(int signal) { caught = signal; }

void throw_if_interrupted() {
  if (const int signal = caught) throw Interrupted{signal};
}

void wait_for_bytes(int descriptor) {
  constexpr int kMilliseconds = 100;
  pollfd wanted{descriptor, POLLIN, 0};
  for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR); ready = poll(&wanted, 1, kMilliseconds))
    throw_if_interrupted();
}

int checkpoint_requests() { return requests; }

}  // namespace beatscan
