// kernels/runtime/error.h — the one exception type of the program, which carries the kind of failure.
#pragma once

#include <stdexcept>
#include <string>

namespace beatscan {

enum class ErrorKind {
  internal,      // a mistake in this program, or too little host memory
  usage,         // command line or configuration
  input,         // a file that is missing or malformed
  unanalysable,  // a readable recording that is too short, flat or without beats
  device,        // a GPU that was requested and is missing, or one that fails
  output,        // results that cannot be written
};

// what() is one line that says what is wrong, where, and what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// Throws Error with "<place>: <what>". The place is a file, a line of one, or a key of the configuration.
[[noreturn]] void fail(ErrorKind kind, const std::string& place, const std::string& what);

[[noreturn]] void throw_violation(const char* file, int line, const std::string& what);
[[noreturn]] void throw_cuda_error(const char* file, int line, const char* call, const char* error);

}  // namespace beatscan

// Checks a precondition. Its violation is a mistake in the calling code (ErrorKind::internal), whatever the input is.
#define BEATSCAN_EXPECTS(condition, what)                                  \
  do {                                                                     \
    if (!(condition)) beatscan::throw_violation(__FILE__, __LINE__, what); \
  } while (false)

// Throws Error of ErrorKind::device if a call of the CUDA runtime fails. Only for files that include that runtime.
#define BEATSCAN_CUDA_CHECK(call)                                                       \
  do {                                                                                  \
    const cudaError_t status_ = (call);                                                 \
    if (status_ == cudaSuccess) break;                                                  \
    cudaGetLastError(); /* clears the error, so that no later call reports it */        \
    beatscan::throw_cuda_error(__FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
  } while (false)
