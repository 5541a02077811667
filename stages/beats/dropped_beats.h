// stages/beats/dropped_beats.h — tells P waves without a QRS complex behind them, as in a second-degree block, from
// beats. The search for weak beats finds them where they are high for the QRS complexes of a recording.
//
// Strong beats are those that are nearly as high as most of the kPWaveReach beats on either side. A beat is such a P
// wave if all of these hold:
//   gap      from the beat before it to the one behind it takes kGap usual RR intervals or more
//   place    it comes about where the next P wave is due: kSoonest to kLatest usual intervals after the beat before,
//            and the next beat comes kBehind or more behind it
//   weak     it is less than kWeak times as high as strong beats, less than kLower times as high as one of the three
//            beats on either side, and blunt beside strong ones
//   P wave   in each lead that tells beats from P waves its envelope is at most kLikeP times that of the P waves of
//            strong beats: the largest from kFrom_s to kTo_s before them
//
// Fewer than kFewestStrong strong beats, or eight beats in all, tell nothing. So does a recording in which no lead
// tells beats from P waves.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

template <class Context>
struct CandidateBuffers;
template <class Context>
struct SearchedLead;
template <class T, class Context>
class Buffer;

// Takes such P waves out of the beats, and adds their samples to `left_out`, which stays in order.
//   leads  with their profiles, whose parts are of `width` samples
//   kept   [K] places of the beats among the candidates, ascending
template <class Context>
void leave_out_p_waves(Context&, const CandidateBuffers<Context>& candidates,
                       const std::vector<SearchedLead<Context>>& leads, int width, double sample_rate_hz,
                       Buffer<std::int64_t, Context>& kept, std::vector<std::int64_t>& left_out);

}  // namespace beatscan
