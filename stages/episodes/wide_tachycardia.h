// stages/episodes/wide_tachycardia.h — tells a fast rhythm of wide beats from ventricular flutter and fibrillation,
// and beats from noise.
//
// Wide beats at 100 to 240 a minute leave the signal as little rest as flutter does. Where most of them have one shape
// and come regularly, the rhythm is a tachycardia, which the rules of runs.h find.
#pragma once

#include "stages/episodes/intervals.h"

namespace beatscan {

// The limits were chosen on the Creighton University Ventricular Tachyarrhythmia Database and on ds1. There they take 4
// of 16 false episodes away, and none of 55 true ones.
//
// Intervals that hardly vary are those of beats, whatever their shape: a tremor below the beats makes the signal as
// restless as flutter does. In the same two sets the intervals of true episodes vary by 0.13 at least.
struct WideTachycardiaOptions {
  double one_shape = 0.6;                                  // least share of V beats of one template
  double variation = 0.35;                                 // most standard deviation of the intervals, over their mean
  double fastest_bpm = 240;                                // a faster rhythm is flutter
  double slowest_bpm = 100;                                // slower beats are those of single large waves
  double covered = 0.8;                                    // least share of the episode that the beats fill
  double regular_variation = 0.10, regular_covered = 0.8;  // most variation, and least share of the episode, of beats
  int regular_beats = 8;                                   // fewer tell nothing
  double fast_bpm = 100;  // regular beats of one shape above this rate are a rhythm and no noise
};

// Says whether an episode of VF or VFL is a tachycardia of wide beats, throughout. Returns false where fewer than three
// beats lie in it, and where templates are not known.
bool is_wide_tachycardia(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options);

// Says whether beats come regularly throughout an episode, so that it is neither VF nor VFL.
bool has_regular_beats(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options);

// Says whether what counts as noise is a fast, regular rhythm of beats of one shape that leave the signal no rest.
bool is_restless_rhythm(const RhythmBeats& beats, const Episode& episode, const WideTachycardiaOptions& options);

}  // namespace beatscan
