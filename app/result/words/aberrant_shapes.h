// app/result/words/aberrant_shapes.h — warns of V beats that may be early beats conducted with a delay.
#pragma once

#include <string>

namespace beatscan {

struct RunResult;

// Returns a warning of the templates of kind V that look like aberrant conduction; empty where there are none.
//   - Their mean beats begin like usual ones: the 150 ms before the R peak correlate by 0.75 or more.
//   - Three fifths of their beats come early and no pause follows: the interval before is below 0.7 of the usual one,
//     that behind above 0.7, and both together are 1.1 to 1.7, since two of an interpolated beat are 1. The beat before
//     is not V: a usual beat behind an interpolated one looks early, too.
// The usual interval is the median of those between two N beats among the 15 intervals on either side. Up to 64 beats
// of a template are looked at, and five of them at least must have a usual interval that is known. The rule was made on
// 61 records, and two of these have the warning (docs/accuracy.md). Kinds, templates and intervals are those of all
// beats, as kind_warnings() has seen. Rows that begin later than 150 ms before the R peak tell nothing.
std::string aberrant_shapes_warning(const RunResult& result);

}  // namespace beatscan
