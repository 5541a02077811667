// kernels/detection/p_waves.h — compares waves with the P waves and the QRS complexes of strong beats around, in one
// lead.
//
//   at a beat  the largest of the part of the envelope that holds it and of the two parts beside that one
//   own        the envelope at the beat that is asked for
//   beat       median of the envelope at the strong beats
//   p_wave     median over them of the largest part from `from` to `to` samples before each
// Both medians are 0 where no beat is strong.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr std::int64_t kPWaveReach = 8;  // beats on either side

struct AskedWave {
  std::int64_t beat;     // 0 .. K - 1
  std::uint32_t strong;  // bit j: beat + j - kPWaveReach is strong; it has to be one of the K beats
};
struct WaveAmongBeats {
  float own, beat, p_wave;
};
struct PWaveRule {
  int width;              // samples of a part, 1 or more
  std::int64_t from, to;  // samples, from >= to >= 0
};

// Looks at some beats.
//   beats  [K] samples, ascending
//   parts  [P] largest values of the envelope's parts, see part_maxima.h
//   asked  [A]
//   found  [A]
// A wrong shape throws ErrorKind::internal.
void waves_among_beats(Cpu&, std::span<const std::int64_t> beats, std::span<const float> parts,
                       std::span<const AskedWave> asked, const PWaveRule& rule, std::span<WaveAmongBeats> found);
void waves_among_beats(Cuda&, std::span<const std::int64_t> beats, std::span<const float> parts,
                       std::span<const AskedWave> asked, const PWaveRule& rule, std::span<WaveAmongBeats> found);

}  // namespace beatscan
