// stages/rhythm/pauses.h — long RR intervals (PAUSE), and those without any beat for so long that the heart stands
// still (ASYS).
//
// A long interval counts if the signal is silent there (SignalEvidence). Without a signal it counts if it is known.
// There is no PAUSE and no ASYS in VF and VFL. An interval that is long enough for ASYS is a PAUSE, too. The confidence
// is the share of its two beats in good signal, times how certain the signal makes it; the quality is that of the worse
// beat, and noisy at least where the signal looks like an electrode that came off.
//
// A silent stretch before the first beat or after the last one may be ASYS, too. It has one beat, and is no PAUSE.
// Sources: pauses of 3 s and more matter by the 2018 ACC/AHA/HRS guideline on bradycardia (Kusumoto et al.); 2 s is
// what Holter systems list. Asystole is no QRS complex for 4 s in the PhysioNet/CinC Challenge 2015.
#pragma once

#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/rhythm/rhythm_results.h"

namespace beatscan {

struct PauseOptions;

// Finds PAUSE and ASYS.
//   evidence  null: there is no signal
//   samples   of the recording
std::vector<Episode> pauses(const RhythmBeats& beats, const IntervalFlags& hidden, const SignalEvidence* evidence,
                            const PauseOptions& options, double samples);

}  // namespace beatscan
