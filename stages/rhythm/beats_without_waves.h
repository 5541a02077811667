// stages/rhythm/beats_without_waves.h — beats whose P, QRS and T waves cannot be determined.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/rhythm/episode.h"
#include "stages/waves/waves.h"

namespace beatscan {

// Returns [K] 1 for beats in signal that is not good, and in ventricular fibrillation and flutter, whose waves are none
// of these. An asystole has no beat in it: it lies between two.
std::vector<std::uint8_t> beats_without_waves(const RhythmBeats& beats, std::span<const Episode> episodes);

// Removes non-conducted P waves that begin in atrial fibrillation: it has f waves instead of P waves.
void remove_non_conducted_in_fibrillation(std::span<const Episode> episodes, BeatWaves& waves);

}  // namespace beatscan
