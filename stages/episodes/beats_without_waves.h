// stages/episodes/beats_without_waves.h — beats whose P, QRS and T waves cannot be told.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/episodes/episode.h"

namespace beatscan {

// Returns [K] 1 for beats in signal that is not good, and in ventricular fibrillation and flutter, whose waves are none
// of these. An asystole has no beat in it: it lies between two.
std::vector<std::uint8_t> beats_without_waves(const RhythmBeats& beats, std::span<const Episode> episodes);

}  // namespace beatscan
