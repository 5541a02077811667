// stages/episodes/atrial_fibrillation.h — atrial fibrillation (AFIB): RR intervals without a pattern.
//
// The share of pairs of neighbouring intervals that come again is the correlation sum of dimension 2 (Grassberger and
// Procaccia 1983), the numerator of sample entropy (Richman and Moorman 2000), with a tolerance relative to the
// interval.
//   x        the intervals that are usable: none of its beats is V, F or in poor signal; x is linked (intervals.h)
//   c_i      share of the pairs within `partners` intervals that are like (x_i, x_(i+1)), see alike_intervals.h, with a
//            factor of exp(alike)
//   s_i      mean of c over i - around .. i + around
//   early_i  x_i < early times the median of x_(i - early_reach) .. x_(i + early_reach)
//   rest_i   the same as s_i without early intervals and those after them, with exp(alike_rest). An interval that was
//            left out takes the value of the next one that was not, or else of the last such one. It is 0 if fewer than
//            fewest_intervals are left
//   AF       s_i < share and rest_i < share_rest
//   edges    AF goes on over up to `around` neighbouring intervals as long as the mean of c over i - edge_around ..
//            i + edge_around is below share: near an end of AF the longer mean holds intervals of the other rhythm,
//            too. The rest is its core
// An episode is a run of AF that lasts least_s, or half the recording if that is shorter, and its core at least `core`
// times that. It goes on over at most join_s of intervals that are not usable. With fewer than fewest_intervals there
// is no decision.
//
// A run whose intervals go up and down as with breathing is no episode: breathing_waves() of its core is most_breathing
// or more, or of the run where the core has too few intervals for that. A run of fewer intervals, but fewest_breaths,
// is one window; its limit is most_few_breaths.
//
// The confidence is the mean of 1 - s_i / share, times the share of its intervals that are usable. At its edges s_i is
// the shorter mean. An episode whose core is shorter than least_s needs least_confidence.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/episodes/episode.h"
#include "stages/episodes/rhythm_results.h"

namespace beatscan {

struct AfOptions;

struct AtrialFibrillation {
  std::vector<Episode> episodes;
  std::vector<TimeSpan> told;  // where it can be told whether there is AF; all episodes lie within
};

// Finds atrial fibrillation.
//   linked, hidden  [K - 1]
//   samples         of the recording
template <class Context>
AtrialFibrillation atrial_fibrillation(Context&, const RhythmBeats& beats, const IntervalFlags& linked,
                                       const IntervalFlags& hidden, double samples, const AfOptions& options);

}  // namespace beatscan
