// stages/beats/mute_leads.h — finds where a lead does not show the beats that another lead shows.
//
// A lead that hums or wanders moves, but not as noise does, so that it counts as good. Where no lead shows beats, noise
// in one of them would be counted as beats in good signal of another.
//
//   height   of a beat in a lead: the envelope at its R peak
//   usual    the upper quartile of the heights in good signal of the lead, of 20 beats or more
//   between  the envelope in the middle between two R peaks
//   mute     the median height of a beat and the 5 on either side is less than a quarter of the usual one, or less than
//            1.5 times the median of `between` there
//
// A lead in which a beat is mute is no good signal there, if the beat may come from another lead: it is not mute there,
// or it is as high as usual in signal that is not good. Where it is small in all leads a gain may have changed, and
// where it stands out in none, all leads being good, the heart beats fast with wide beats.
#pragma once

#include "stages/beats/detect.h"

namespace beatscan {

// Marks good blocks of a lead between mute beats as noisy. Nothing changes where there is one lead.
template <class Context>
void mark_mute_leads(Context&, Detection<Context>& detection);

}  // namespace beatscan
