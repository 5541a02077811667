// stages/rhythm/rhythm_findings.h — all findings on a recording's rhythm: episodes, its hours, and beats without waves.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/waves/waves.h"

namespace beatscan {

struct Rhythms;

// Returns [K] 1 for beats in signal that is not good, and in ventricular fibrillation and flutter, whose waves are none
// of these. An asystole has no beat in it: it lies between two.
std::vector<std::uint8_t> beats_without_waves(const RhythmBeats& beats, std::span<const Episode> episodes);

// Removes non-conducted P waves that begin in atrial fibrillation: it has f waves instead of P waves.
void remove_non_conducted_in_fibrillation(std::span<const Episode> episodes, BeatWaves& waves);

// Returns the facts of each hour of a recording of `samples` samples; the last hour may be shorter.
std::vector<HourFacts> hours_of(const RhythmBeats& beats, const Episodes& episodes, double samples);

AfBurden burden_of(const Episodes& episodes, double sample_rate_hz);

// Finds the rhythm of a recording of `samples` samples.
//   evidence  null: there is no signal
template <class Context>
RhythmFindings rhythm_findings(Context&, const RhythmBeats& beats, const SignalEvidence* evidence,
                               const Rhythms& rhythms, double samples, const EpisodeOptions& options);

}  // namespace beatscan
