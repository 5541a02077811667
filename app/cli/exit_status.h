// app/cli/exit_status.h — how a command ends: one line on stderr for an exception, and the exit status.
#pragma once

#include <functional>

#include "app/common/errors.h"

namespace beatscan {

class Log;
struct BatchOutcome;

// If every recording failed, this is the status of the first failure.
ExitStatus status_of(const BatchOutcome& outcome);

// Runs the command and returns its status. If it throws, reports the error in one line and returns the error's status:
// 128 plus the signal for Interrupted, `internal` for exceptions other than Error. Reporting that memory ran out
// allocates no memory.
int exit_status_of(const std::function<int()>& command, Log& log) noexcept;

// Makes std::terminate() end the program with a message and a status if memory runs out where exceptions may not pass,
// such as in a destructor. Applies to the whole process.
void tell_before_terminating();

}  // namespace beatscan
