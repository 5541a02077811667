// app/cli/rhythm_warnings.h — warns where a list of beats is doubtful.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct ListedBeats;

// Says what makes the list doubtful: a beat that is listed twice counts twice, and a wrong rate changes everything.
std::vector<std::string> warnings_about(const ListedBeats& listed, double rate_hz);

}  // namespace beatscan
