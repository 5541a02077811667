// app/cli/exit_status.h — how a command ends: what it throws becomes one line on stderr and the program's exit status.
#pragma once

#include <functional>

#include "app/run/batch.h"
#include "app/text/log.h"
#include "kernels/runtime/error.h"

namespace beatscan {

// How the program ends. Signals end it with 128 and the number of the signal.
enum class ExitStatus {
  ok = 0,
  internal = 1,
  usage = 2,
  input = 3,
  unanalysable = 4,
  device = 5,
  output = 6,
  partial_batch = 7,  // some of several recordings failed
};
ExitStatus status_of(ErrorKind kind);
// Where every recording failed, the status of the first failure.
ExitStatus status_of(const BatchOutcome& outcome);

// The status that the command returns, or that of what it throws: 128 + signal for Interrupted, an Error's own,
// internal for the rest. Too little memory is told without any.
int exit_status_of(const std::function<int()>& command, Log& log) noexcept;

// Where an exception must not go on (in a destructor; JSON's own takes memory) the program ends too with a line and a
// status. For the whole process.
void tell_before_terminating();

}  // namespace beatscan
