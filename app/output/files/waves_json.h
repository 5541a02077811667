// app/output/files/waves_json.h — P, QRS and T waves of the whole recording for summary.json; docs/output.md describes
// the keys.
#pragma once

#include <nlohmann/json.hpp>

#include "app/common/json.h"

namespace beatscan {

struct RunResult;

// Returns intervals, ST levels and non-conducted P waves, in total and for each hour; null if there are no waves.
// Unknown values are null.
Json waves_json(const RunResult& result);

}  // namespace beatscan
