// stages/beats/resting_leads.h — finds where one lead shows no beats for some seconds while the others are noise, in
// which beats were found. The heart may stand still there, with P waves or a wander of the line.
//
//   alone   a beat at which every other lead is noisy, clipped, flat or missing
//   shown   a beat whose envelope in the lead is half the usual one or more
//   silent  a beat that is alone, and whose envelope in the lead is less than a quarter of the usual one
// The usual envelope is the median at beats in good signal of the lead. The lead rests from one shown beat to the next
// if all of these hold:
//   - three silent beats or more lie between, and no others; 3 s pass at least, and longest_s at most
//   - of the five beats on either side three are shown; behind the last beat of a recording there need be none
//   - the silent beats do not stand out: their median is less than 3 times the median of the lead's envelope, from
//     0.3 s behind the one shown beat to 0.3 s before the other. So a lead that becomes small does not rest
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/signal/signal_part.h"

namespace beatscan {

template <class Context>
struct Detection;

// A stretch in which one lead shows no beats.
struct RestingLead {
  std::size_t lead;
  Stretch samples;     // from the shown beat before to the one behind, or to the end of the recording
  std::int64_t beats;  // silent ones; in Detection::resting those that were left out
};

// Finds where leads rest, lead by lead. There is none where there is one lead.
//   samples    of the recording
//   longest_s  of a rest; in a longer one an electrode is off
template <class Context>
std::vector<RestingLead> resting_leads(Context&, const Detection<Context>& detection, std::int64_t samples,
                                       double sample_rate_hz, double longest_s);

}  // namespace beatscan
