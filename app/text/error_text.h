// app/text/error_text.h — words for an error that nothing in the program expects.
#pragma once

#include <exception>
#include <string>

namespace beatscan {

// Returns the message of an error that is no Error, in one line: a limit of the system where one was met, and otherwise
// "internal error" with what it says.
std::string unexpected_error(const std::exception& error);

}  // namespace beatscan
