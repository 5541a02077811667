// stages/beats/standstill.h — beats that noise makes in one lead while the heart stands still in another.
//
// The heart may pause where a lead is flat for some blocks, or rests without being flat (resting_leads.h), no electrode
// is off by flat.h, no block is missing, most blocks beside are good, and none of these is flat or missing. The pause
// reaches as far as the lead's envelope stays below a quarter of that at the beats around. A beat that was found in the
// pause is false, unless another lead is good there, or both tells beats from what lies between them and shows a beat
// there:
//   tells  the median envelope at the beats around is at least twice the median of the largest between them
//   shows  the envelope there is at least half of that at the beats around
#pragma once

#include <span>

namespace beatscan {

struct LeadSignal;
template <class Context>
struct Detection;

// Takes the beats out of the detection that only noise shows, and tells in Detection::resting where. It needs the
// detection's quality and profile. The beats of a single lead stay as they are.
//   signals    [L]
//   longest_s  of a lead that rests; in a longer one an electrode is off
template <class Context>
void leave_out_beats_of_noise(Context&, std::span<const LeadSignal> signals, double sample_rate_hz, double longest_s,
                              Detection<Context>& detection);

}  // namespace beatscan
