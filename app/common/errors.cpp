#include "app/common/errors.h"

#include <system_error>

#include "stages/common/one_line.h"

namespace beatscan {

std::string unexpected_error(const std::exception& error) {
  const std::string what = error.what();
  // std::thread fails with this error at the thread limit of the user or the container, or if memory for its stack is
  // lacking.
  if (const auto* system = dynamic_cast<const std::system_error*>(&error);
      system && system->code() == std::errc::resource_unavailable_try_again)
    return "the system allows no more threads; raise the limit of processes (ulimit -u, or that of the container) "
           "or of memory (ulimit -v)";
  return "internal error: " + in_one_line(what.substr(0, what.find('\n')));
}

}  // namespace beatscan
