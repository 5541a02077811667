#include "kernels/check.h"

#include <string_view>

namespace beatscan {
namespace {

std::string place(const char* file, int line) {
  const std::string_view path(file);
  return std::string(path.substr(path.find_last_of('/') + 1)) + ":" + std::to_string(line);
}

}  // namespace

void throw_violation(const char* file, int line, const std::string& what) {
  throw Error(Status::internal, what + " (" + place(file, line) + ")");
}

void throw_cuda_error(const char* file, int line, const char* call, const char* error) {
  throw Error(Status::device, std::string("CUDA: ") + error + " in " + call + " (" + place(file, line) + ")");
}

}  // namespace beatscan
