// app/result/files/waves_json.h — P, QRS and T waves of the whole recording for summary.json; docs/output.md describes
// the keys.
#pragma once

#include <nlohmann/json.hpp>

#include "app/text/json.h"

namespace beatscan {

struct RunResult;

// Returns intervals, ST levels and non-conducted P waves, as a whole and hour by hour; null if there are no waves. A
// value that is not known is null.
Json waves_json(const RunResult& result);

}  // namespace beatscan
