// kernels/check.h — how anything goes wrong: one exception type that carries the program's exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace beatscan {

// The exit statuses of the program. A library user reads them as kinds of failure.
enum class Status {
  ok = 0,
  internal = 1,
  usage = 2,          // command line or configuration
  input = 3,          // a file that is missing or not what it should be
  unanalysable = 4,   // a readable recording that is too short, flat or without beats
  device = 5,         // no GPU where one was asked for, or one that fails
  output = 6,         // results that cannot be written
  partial_batch = 7,  // some of several recordings failed
};

// what() is one line that names the place and what to do.
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

[[noreturn]] void throw_violation(const char* file, int line, const std::string& what);
[[noreturn]] void throw_cuda_error(const char* file, int line, const char* call, const char* error);

}  // namespace beatscan

// A precondition: its violation is a mistake in the calling code (status 1), never a matter of the input.
#define BEATSCAN_EXPECTS(condition, what)                                  \
  do {                                                                     \
    if (!(condition)) beatscan::throw_violation(__FILE__, __LINE__, what); \
  } while (false)

// Only for files that include the CUDA runtime.
#define BEATSCAN_CUDA_CHECK(call)                                                       \
  do {                                                                                  \
    const cudaError_t status_ = (call);                                                 \
    if (status_ == cudaSuccess) break;                                                  \
    cudaGetLastError(); /* clears it, so that it is not taken for a later call's */     \
    beatscan::throw_cuda_error(__FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
  } while (false)
