// stages/rhythm/burden.h — how often beats of a class occur, and how they stand together.
//
//   counted     the beats of the class; S inside AFIB are none, because every beat there may look premature
//   percent     of all beats
//   per hour    of the recording
//   in a row    counted beats outside of VF and VFL whose intervals are linked (intervals.h)
//   couplet     exactly two in a row
//   run         three or more in a row; the rate of n beats is n - 1 over their time. Of equal ones the first is named
// The page of a result counts them by the same rules.
#pragma once

#include "stages/rhythm/episode.h"

namespace beatscan {

// Works out the burden of V or S in a recording of `samples` samples.
ClassBurden burden_of_class(const RhythmBeats& beats, const Episodes& episodes, BeatClass beat_class, double samples);

}  // namespace beatscan
