// app/result/words/finding_warnings.h — warns where the usual beats or rhythm of a recording may themselves be
// abnormal.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct RunResult;

// Returns the lines of pause_warnings(), rate_warnings() and fibrillation_warnings(), and one line each for
//   - few beats that show what is normal
//   - two shapes that compete for the usual one
//   - leads that show different beats, or the same beats at different times
//   - pacing spikes without a QRS complex after them
//   - touches of an electrode and bursts of noise between beats, which were left out
std::vector<std::string> finding_warnings(const RunResult& result);

}  // namespace beatscan
