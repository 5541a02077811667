// app/common/errors.h — exit statuses and the texts of unexpected errors.
#pragma once

#include <exception>
#include <string>

#include "kernels/runtime/error.h"

namespace beatscan {

// The exit statuses. A signal ends the program with 128 plus its number.
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

constexpr ExitStatus status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return ExitStatus::internal;
    case ErrorKind::usage:
      return ExitStatus::usage;
    case ErrorKind::input:
      return ExitStatus::input;
    case ErrorKind::unanalysable:
      return ExitStatus::unanalysable;
    case ErrorKind::device:
      return ExitStatus::device;
    case ErrorKind::output:
      return ExitStatus::output;
  }
  return ExitStatus::internal;
}

// Returns the kind of error for an exit status; internal for any other number.
constexpr ErrorKind kind_of(int status) {
  for (const ErrorKind kind :
       {ErrorKind::usage, ErrorKind::input, ErrorKind::unanalysable, ErrorKind::device, ErrorKind::output})
    if (static_cast<int>(status_of(kind)) == status) return kind;
  return ErrorKind::internal;
}

// Returns the one-line message of an exception other than Error: the system limit that was met, if any, and otherwise
// "internal error" with its text.
std::string unexpected_error(const std::exception& error);

}  // namespace beatscan
