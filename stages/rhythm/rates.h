// stages/rhythm/rates.h — slow and fast sinus rhythm (SBR, STACH).
//
//   x       the intervals between two N in good signal that are linked (intervals.h) and lie in no AFIB
//   rate_i  60 over the median of x_(i - reach) .. x_(i + reach), repeated beyond the ends
//   mean_i  60 over the mean of the reach + 1 intervals before x_i, or of those after it
//   SBR     rate_i and a mean_i < slow_bpm     STACH   rate_i and a mean_i > fast_bpm
// The median alone would be a rate that the heart does not have if short and long intervals alternate.
// An episode is a run of such intervals that lasts least_s, or half the recording if that is shorter. It goes on over
// at most join_s of intervals that are not in x. With fewer than fewest_intervals there is no episode. The confidence
// of an episode is the share of its intervals that are in x. Source: 2018 ACC/AHA/HRS guideline on bradycardia
// (Kusumoto et al.): below 50/min. Tachycardia is above 100/min.
#pragma once

#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/rhythm/rhythm_results.h"

namespace beatscan {

struct RateOptions;

// Finds SBR and STACH.
//   in_af  [K - 1] intervals that lie in atrial fibrillation
template <class Context>
std::vector<Episode> slow_and_fast(Context&, const RhythmBeats& beats, const IntervalFlags& linked,
                                   const IntervalFlags& hidden, const IntervalFlags& in_af, double samples,
                                   const RateOptions& options);

}  // namespace beatscan
