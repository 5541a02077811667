// stages/episodes/wide_tachycardia.h — tells a fast rhythm of wide beats from ventricular flutter and fibrillation.
//
// Wide beats at 150 to 240 a minute leave the signal as little rest as flutter does. Where most beats have one shape
// and come regularly, they are beats: the rhythm is a tachycardia, and the rules of runs tell it.
#pragma once

#include "stages/episodes/intervals.h"

namespace beatscan {

// The limits were chosen on the Creighton University Ventricular Tachyarrhythmia Database and on ds1. There they take 4
// of 16 false episodes away, and none of 55 true ones.
struct WideTachycardiaOptions {
  double one_shape = 0.6;    // least share of V beats of one template
  double variation = 0.35;   // most standard deviation of the intervals, over their mean
  double fastest_bpm = 240;  // a faster rhythm is flutter
};

// Says whether an episode of VF or VFL is a tachycardia of wide beats. It is none where fewer than three beats lie in
// it, and where templates are not known.
bool is_wide_tachycardia(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options);

}  // namespace beatscan
