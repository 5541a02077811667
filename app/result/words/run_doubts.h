// app/result/words/run_doubts.h — warns of runs of V beats that may be none, and of runs of Q beats that may be V.
#pragma once

#include <string>

#include "app/result/run_result.h"

namespace beatscan {

// Tells of the longest run of V beats, of 8 at least, that begins and ends without a jump of the rate; "" without any.
// A bundle branch block that comes with the rate does so, and hardly a ventricular tachycardia.
std::string smooth_run_warning(const RunResult& result);

// Tells of runs of beats of which 5 or more are Q, and not paced and no artefact, that come evenly, at more than 100 a
// minute and faster than the usual beats around them; "" without any. The others of such a run are V. What VF or VFL
// hides is not told.
std::string unknown_runs_warning(const RunResult& result);

}  // namespace beatscan
