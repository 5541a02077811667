// app/cli/rhythm_warnings.h — warns of a list of beats that is not reliable.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct ListedBeats;

// Returns the problems of a list: a beat that is listed twice counts twice, and a wrong rate changes every result.
std::vector<std::string> warnings_about(const ListedBeats& listed, double rate_hz);

}  // namespace beatscan
