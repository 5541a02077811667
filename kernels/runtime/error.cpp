#include "kernels/runtime/error.h"

#include <string_view>

namespace beatscan {
namespace {

std::string place(const char* file, int line) {
  const std::string_view path(file);
  return std::string(path.substr(path.find_last_of('/') + 1)) + ":" + std::to_string(line);
}

}  // namespace

void fail(ErrorKind kind, const std::string& place, const std::string& what) { throw Error(kind, place + ": " + what); }

void throw_violation(const char* file, int line, const std::string& what) {
  throw Error(ErrorKind::internal, what + " (" + place(file, line) + ")");
}

void throw_cuda_error(const char* file, int line, const char* call, const char* error) {
  throw Error(ErrorKind::device, std::string("CUDA: ") + error + " in " + call + " (" + place(file, line) + ")");
}

}  // namespace beatscan
