// stages/methods/extra_beats.h — beats that are none: an electrode that is touched, or a moment of noise, between two
// beats that belong together.
//
// Let R be the median of up to 8 intervals on either side of a beat, without the two beside it. The two beats beside it
// belong together if
//   - the two intervals together are kMostTogether * R at most
//   - the interval before them and the one after them are kLeastBeside * R at least
//   - the rhythm is regular: from the lower to the upper quartile of the 16 intervals it is kMostSpread * R at most
// Neither of two such beats in a row is asked for: each would have the other beside it. An early beat with a pause is
// not asked for, nor is a beat of a tachycardia or of atrial fibrillation. A beat that is asked for is left out if
//   - it is a step (steps.h) where all leads are good, so that none comes or goes, or a lone burst (bursts.h), or
//   - half of several leads that are good there lack it, and the line beside it is restless in the lead that shows it
//     best. A lead lacks it where the envelope is below kAbsent of that at the beats around. The line is restless where
//     it reaches kRestless of that between the beat and its neighbours, and kTail of the beat's own.
// The rule leaves out 18 beats of ds1, svdb, nstdb, tele and cinc2014, and none of them is annotated (2026-11-25). A
// looser rule, by one lead of several, left out 50, of which none is annotated either; but of made recordings with 12
// leads it lost every other interpolated ventricular beat, since one lead hardly shows it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

template <class Context>
struct Detection;
template <class Context>
struct Recording;

// Returns the beats that lie between two beats that belong together, ascending.
//   r_peaks  [K] ascending
std::vector<std::int64_t> beats_between(std::span<const double> r_peaks);

// Takes those of them that are no beats out of a detection, and lists them in `artefacts`. It needs the detection's
// quality and profile, and leaves leads out that may be no ECG.
template <class Context>
void leave_out_artefacts(Context&, const Recording<Context>& recording, double sample_rate_hz,
                         Detection<Context>& detection);

}  // namespace beatscan
