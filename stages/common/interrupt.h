// stages/common/interrupt.h — signals take effect between two steps, so that no half-written file is left.
//   SIGINT            ends the program
//   SIGTERM, SIGHUP   end the program; a training writes a checkpoint first
//   SIGUSR1           makes a training write a checkpoint and continue
// A second signal of the same kind ends the program at once. A signal that was ignored when the program started stays
// ignored, as under nohup. SIGPIPE and SIGXFSZ are ignored: the write that caused one fails with an error instead.
#pragma once

namespace beatscan {

// Thrown when a signal ends the program.
struct Interrupted {
  int signal;
};

// Installs the handlers of the signals above.
void catch_signals();

// Acts as if a signal had come; 0 forgets one that came. For programs that catch signals themselves.
void pretend_signal(int signal);

// Throws Interrupted after a signal that ends the program has come.
void throw_if_interrupted();

// Waits until a pipe has something to read, or has ended. Throws Interrupted if a signal that ends the program comes
// meanwhile.
void wait_for_bytes(int descriptor);

// Returns how often signals have asked for a checkpoint. Every training that is under way then writes one.
int checkpoint_requests();

}  // namespace beatscan
