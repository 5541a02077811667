// stages/common/interrupt.h — signals take effect between two steps, so that nothing half-written is left.
//   SIGINT, SIGTERM, SIGHUP  end the program (a second one at once); the last two keep a training as a checkpoint
//   SIGUSR1                  a training writes a checkpoint and goes on
// A signal that was ignored when the program started (nohup) stays ignored. SIGPIPE and SIGXFSZ are errors of writing.
#pragma once

namespace beatscan {

struct Interrupted {
  int signal;
};

void catch_signals();
void throw_if_interrupted();  // throws Interrupted after a signal that ends the program has come

// Returns where a pipe has something to read, or its end. A signal may come while its writer says nothing.
void wait_for_bytes(int descriptor);

// Whether a signal has asked for a checkpoint. One that does not end the program asks for one only.
bool take_checkpoint_request();

}  // namespace beatscan
