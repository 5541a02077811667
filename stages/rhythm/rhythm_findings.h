// stages/rhythm/rhythm_findings.h — all findings on a recording's rhythm.
#pragma once

#include "stages/rhythm/rhythm_results.h"

namespace beatscan {

struct EpisodeOptions;
struct Rhythms;

// Finds the rhythm of a recording of `samples` samples.
//   evidence  null: there is no signal
template <class Context>
RhythmFindings rhythm_findings(Context&, const RhythmBeats& beats, const SignalEvidence* evidence,
                               const Rhythms& rhythms, double samples, const EpisodeOptions& options);

}  // namespace beatscan
