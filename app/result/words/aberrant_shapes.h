// app/result/words/aberrant_shapes.h — warns of V beats that may be early beats conducted with a delay.
#pragma once

#include <string>

#include "app/result/run_result.h"

namespace beatscan {

// Returns a warning of the templates of kind V that look like aberrant conduction; empty where there are none.
//   - Their mean beats begin like usual ones: the 150 ms before the R peak correlate by 0.75 or more.
//   - Three fifths of their beats come early and no pause follows: the interval before is below 0.7 of the usual one,
//     that behind above 0.7, and both together are below 1.7. Up to 64 beats are looked at, and five must be told.
// The usual interval is the median of those between two N beats among the 15 intervals on either side. In 61 records of
// two databases with all leads two have the warning, and 164 of the 166 beats it tells of are S (docs/accuracy.md).
std::string aberrant_shapes_warning(const RunResult& result);

}  // namespace beatscan
