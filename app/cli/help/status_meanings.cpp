#include "app/cli/help/status_meanings.h"

#include "app/common/errors.h"

namespace beatscan {

std::vector<StatusMeaning> status_meanings() {
  const auto number = [](ExitStatus status) { return std::to_string(static_cast<int>(status)); };
  return {
      {number(ExitStatus::ok), "done"},
      {number(ExitStatus::internal), "internal error, too little memory, or a library that cannot be loaded"},
      {number(ExitStatus::usage), "the command line or the configuration is wrong"},
      {number(ExitStatus::input), "an input is missing or invalid"},
      {number(ExitStatus::unanalysable), "the recording cannot be analysed: it is too short, flat, or has no beats"},
      {number(ExitStatus::device), "a requested GPU is missing, or a GPU failed"},
      {number(ExitStatus::output), "the result cannot be written"},
      {number(ExitStatus::partial_batch),
       "some of several recordings failed; if all failed, the status is that of the first failure"},
      {"129, 130, 143", "stopped by a signal: SIGHUP, SIGINT, SIGTERM"}};
}

}  // namespace beatscan
