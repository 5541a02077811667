// app/cli/help/status_meanings.h — what each exit status means, for --help and the manual page.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct StatusMeaning {
  std::string status, meaning;
};

// Returns the meaning of every exit status.
std::vector<StatusMeaning> status_meanings();

}  // namespace beatscan
