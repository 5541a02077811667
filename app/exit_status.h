// app/exit_status.h — how a command ends: what it throws becomes one line on stderr and the program's exit status.
#pragma once

#include <functional>

#include "app/log.h"

namespace beatscan {

// The status that the command returns, or that of what it throws: 128 + signal for Interrupted, an Error's own,
// internal for the rest. Too little memory is told without any.
int exit_status_of(const std::function<int()>& command, Log& log) noexcept;

// Where an exception must not go on (in a destructor; JSON's own takes memory) the program ends too with a line and a
// status. For the whole process.
void tell_before_terminating();

}  // namespace beatscan
