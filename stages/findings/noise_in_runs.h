// stages/findings/noise_in_runs.h — how noisy it is around V beats that come fast. Noise is measured between beats
// (stages/rows/noise.h), and between fast, wide beats their own waves count as noise.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

enum class Kind : std::uint8_t;
struct KindBeats;

// Returns the noise of each row, [B]: that of `beats`, but for V rows of fast, even runs in good signal the median of
// the ten N rows nearest to them on either side, if that is less. Such a run is three V rows in a row or more, whose
// intervals are at most 0.65 of the median interval between N beats, and differ by at most 15 %. Noise makes uneven
// runs.
//   kinds  [B] of the rows, by shape
std::vector<float> noise_in_runs(const KindBeats& beats, const std::vector<Kind>& kinds);

}  // namespace beatscan
