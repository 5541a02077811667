// app/cli/rhythm_warnings.h — warns where a list of beats, or the rhythm of its beats, is doubtful.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct ListedBeats;
struct RhythmResult;

// Says what makes the list doubtful: a beat that is listed twice counts twice, and a wrong rate changes everything.
std::vector<std::string> warnings_about(const ListedBeats& listed, double rate_hz);

// Says what `run` says of such a rhythm, and of ASYS that a list without some of its beats looks the same. Where no
// heart has such a rate, it says that alone.
std::vector<std::string> rhythm_warnings(const RhythmResult& result);

}  // namespace beatscan
