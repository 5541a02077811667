#include "app/cli/exit_status.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "app/text/error_text.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

// Does the same as exit_status_of(), but throws std::bad_alloc if memory runs out.
int told_status_of(const std::function<int()>& command, Log& log) {
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

std::vector<StatusMeaning> status_meanings() {
  const auto number = [](ExitStatus status) { return std::to_string(static_cast<int>(status)); };
  return {
      {number(ExitStatus::ok), "done"},
      {number(ExitStatus::internal), "internal error, or too little memory"},
      {number(ExitStatus::usage), "the command line or the configuration is wrong"},
      {number(ExitStatus::input), "an input is missing or is not what it should be"},
      {number(ExitStatus::unanalysable), "the recording cannot be analysed: it is too short, flat, or has no beats"},
      {number(ExitStatus::device), "a GPU was asked for and there is none, or it failed"},
      {number(ExitStatus::output), "the result cannot be written"},
      {number(ExitStatus::partial_batch),
       "some of several recordings failed; if all failed, the status is that of the first failure"},
      {"129, 130, 143", "stopped by a signal: SIGHUP, SIGINT, SIGTERM"}};
}

void tell_before_terminating() { std::set_terminate(end_at_once); }

int exit_status_of(const std::function<int()>& command, Log& log) noexcept {
  try {
    return told_status_of(command, log);
  } catch (const std::bad_alloc&) {
    log.end_progress();
    log.error_out_of_memory();
    return static_cast<int>(ExitStatus::internal);
  }
}

}  // namespace beatscan
