#include "app/cli/exit_status.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "app/batch/run_command.h"
#include "app/common/errors.h"
#include "app/common/log.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

// The same as exit_status_of(), but throws std::bad_alloc if memory runs out.
int reported_status_of(const std::function<int()>& command, Log& log) {
  try {
    return command();
  } catch (const Interrupted& interrupted) {
    log.end_progress();
    log.error("stopped by a signal");
    return 128 + interrupted.signal;
  } catch (const Error& error) {
    log.end_progress();
    log.error(error.what());
    return static_cast<int>(status_of(error.kind()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    log.end_progress();
    log.error(unexpected_error(error));
    return static_cast<int>(ExitStatus::internal);
  }
}

// Ends the program without allocating memory.
[[noreturn]] void end_at_once() {
  constexpr std::string_view kMessage =
      "error: out of memory while tidying up: a folder .NAME.partial-NUMBER may be left\n";
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(static_cast<int>(ExitStatus::internal));
  } catch (...) {
  }
  std::abort();
}

}  // namespace

ExitStatus status_of(const BatchOutcome& outcome) {
  if (!outcome.first_failure) return ExitStatus::ok;
  return outcome.failed < outcome.recordings ? ExitStatus::partial_batch : status_of(*outcome.first_failure);
}

void tell_before_terminating() { std::set_terminate(end_at_once); }

int exit_status_of(const std::function<int()>& command, Log& log) noexcept {
  try {
    return reported_status_of(command, log);
  } catch (const std::bad_alloc&) {
    log.end_progress();
    log.error_out_of_memory();
    return static_cast<int>(ExitStatus::internal);
  }
}

}  // namespace beatscan
