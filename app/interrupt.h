// app/interrupt.h — SIGINT and SIGTERM end a run between two steps, so that nothing half-written is left.
#pragma once

namespace beatscan {

struct Interrupted {
  int signal;
};

void catch_signals();
void throw_if_interrupted();  // throws Interrupted after a signal has come

}  // namespace beatscan
