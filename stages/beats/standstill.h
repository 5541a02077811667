// stages/beats/standstill.h — beats that noise makes in one lead while the heart stands still in another.
//
// The heart may pause where a lead is flat for some blocks, or rests without being flat (resting_leads.h), no electrode
// is off by flat.h, most blocks beside are good and none is flat. The pause reaches as far as the lead's envelope stays
// below kStill of that at the beats around. A beat that was found in the pause is false, unless another lead is good
// there, or both tells beats from what lies between them and shows a beat there:
//   tells  the median envelope at the beats around is at least kTells times the median of the largest between them
//   shows  the envelope there is at least kShown of that at the beats around
#pragma once

#include "stages/beats/detect.h"

namespace beatscan {

// Takes the beats out of the detection that only noise shows, and tells in Detection::resting where leads rest and
// beats were taken out. It needs the detection's quality and profile. The beats of a single lead stay as they are.
//   samples  of the recording
template <class Context>
void leave_out_beats_of_noise(Context&, std::int64_t samples, double sample_rate_hz, Detection<Context>& detection);

}  // namespace beatscan
