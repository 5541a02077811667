// stages/beats/standstill.h — beats that noise makes in one lead while the heart stands still in another.
//
// A lead may pause where it is flat for some blocks, no electrode is off by flat.h, most blocks beside are good and
// none is flat. The pause reaches as far as its envelope stays below kStill of that at the beats around. A found beat
// in it is none, unless another lead is good there, or tells beats from what lies between them and shows one there:
//   tells  the median envelope at the beats around is at least kTells times the median of the largest between them
//   shows  the envelope there is at least kShown of that at the beats around
#pragma once

#include "stages/beats/detect.h"

namespace beatscan {

// Takes the beats out of the detection that only noise shows. Needs its quality and its profile. A single lead says all
// by itself, and stays as it is.
template <class Context>
void leave_out_beats_of_noise(Context&, Detection<Context>& detection);

}  // namespace beatscan
