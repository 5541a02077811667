// stages/rhythm/measures.h — the inputs of rhythm recognition besides columns of the beat table: posteriors of
// beat classes, and measures computed from these and from columns. scripts/rhythm/features.py is the reference and
// describes each of them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace beatscan {

struct BeatFeatures;

using RhythmMeasures = std::map<std::string, std::vector<float>>;  // [K] each

// Returns the measures of each beat. Those whose columns the table does not have are NaN.
//   posteriors  [K][4] of N, S, V and X, or empty: not known
RhythmMeasures rhythm_measures(const BeatFeatures& table, std::span<const float> posteriors);

// Returns the names of the measures.
std::vector<std::string> rhythm_measure_names();

}  // namespace beatscan
