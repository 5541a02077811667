// app/cli/exit_status.h — how a command ends: one line on stderr for what it throws, and the program's exit status.
#pragma once

#include <functional>

#include "app/text/exit_number.h"

namespace beatscan {

class Log;
struct BatchOutcome;

// If every recording failed, this is the status of the first failure.
ExitStatus status_of(const BatchOutcome& outcome);

// Runs the command and returns the status that it returns. If it throws, tells the error in one line and returns the
// error's status: 128 plus the signal for Interrupted, `internal` for an exception other than Error. Telling that there
// is too little memory takes no memory.
int exit_status_of(const std::function<int()>& command, Log& log) noexcept;

// Makes std::terminate() end the program with a line and a status if memory ran out where no exception may pass, such
// as in a destructor. This holds for the whole process.
void tell_before_terminating();

}  // namespace beatscan
