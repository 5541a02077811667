// app/common/error_text.h — messages for unexpected errors.
#pragma once

#include <exception>
#include <string>

namespace beatscan {

// Returns the one-line message of an exception other than Error: the system limit that was met, if any, and otherwise
// "internal error" with its text.
std::string unexpected_error(const std::exception& error);

}  // namespace beatscan
