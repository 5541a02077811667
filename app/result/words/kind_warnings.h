// app/result/words/kind_warnings.h — warns where the signal, or the usual shape, makes kinds of beats doubtful.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct RunResult;

// Returns one line each for
//   - a lead whose converter wraps round
//   - V and S beats beside which samples repeat exactly
//   - beats that are steps of the signal, as an electrode makes that moves
//   - beats that are bursts of muscle noise
//   - beats that are bumps of movement
//   - impulses of a pacemaker before beats, for the ventricles and for the atria
//   - a usual shape that is wide
//   - a signal that is larger in its first or its last part, where most beats are V or Q
//   - V beats that come just when usual beats would
//   - S beats whose shape is unlike that of usual ones (own_shapes.h)
//   - V beats that may be early beats with aberrant conduction (aberrant_shapes.h)
//   - runs of V beats that begin and end without a jump of the rate, and fast, even runs of Q beats
//   - runs of S beats that begin and end gradually, or else are hardly faster than the beats around them
//   - two rhythms that take turns
//   - intervals that are twice as long as those beside them
// The last four lines are those of run_doubts.h.
std::vector<std::string> kind_warnings(const RunResult& result);

}  // namespace beatscan
