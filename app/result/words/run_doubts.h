// app/result/words/run_doubts.h — warns of runs of V or S beats that may be none, of runs of Q beats that may be V, and
// of intervals in which a beat may have been missed.
#pragma once

#include <string>

namespace beatscan {

struct RunResult;

// Tells of the longest run of V beats, of 8 at least, that begins and ends without a jump of the rate; "" without any.
// A bundle branch block that comes with the rate does so, and hardly a ventricular tachycardia.
std::string smooth_run_warning(const RunResult& result);

// Tells of runs of 5 S beats or more that begin and end gradually, if they are three at least or one has 10 beats; ""
// without any. Sinus rhythm that becomes faster for a while does so. Runs beside V beats, and in AFIB, are left out.
std::string gradual_runs_warning(const RunResult& result);

// Tells of runs of 6 S beats or more whose median interval is 0.7 times that of the N beats around them or more, or
// that are slower than 100 a minute; "" without any. Runs in AFIB are left out.
std::string slow_runs_warning(const RunResult& result);

// Tells of even runs (even_runs.h) that are N because more than a quarter of all beats are in such runs; "" otherwise.
std::string turns_warning(const RunResult& result);

// Tells of intervals in good signal that are twice as long as the two on either side, which are alike, if they are
// three at least; "" without any.
std::string double_intervals_warning(const RunResult& result);

// Tells of runs of beats of which 5 or more are Q, and not paced and no artefact, that come evenly, at more than 100 a
// minute and faster than the usual beats around them; "" without any. The others of such a run are V. What VF or VFL
// hides is not told.
std::string unknown_runs_warning(const RunResult& result);

}  // namespace beatscan
