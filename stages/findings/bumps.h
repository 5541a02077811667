// stages/findings/bumps.h — tells V beats that are bumps of movement, because usual beats go on in time around them.
//
// An electrode that moves bends the line between and below the beats. A bump between two beats looks like a V beat, and
// so does a usual beat with a bump on it. Two things tell bumps from V beats:
//   - A V beat interrupts the rhythm of the usual beats, and bumps do not. From an N beat to the next one the time is a
//     whole number of usual intervals, and a beat comes at each of them: a usual beat with a bump on it. All other V
//     beats between the two are bumps between beats. Some V beats look the same: interpolated ones, late ones, and
//     those of a rhythm as fast as the usual one.
//   - Bumps come with movement. The N beats around a bump are bent, too: they are odd, and there is noise.
// Near bumps other V beats where the line is bent are no more to be believed. But three or more V beats that come
// evenly and fast are never made Q, because they may be a tachycardia.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

enum class Kind : std::uint8_t;
struct BumpOptions;

// K beats that were found, B of which are rows.
struct BumpBeats {
  const std::vector<double>& r_peaks;       // [K] samples
  const std::vector<std::uint8_t>& broken;  // [K - 1]
  const std::vector<std::int64_t>& kept;    // [B] the beat of each row
  std::span<const float> noise;             // [B] see KindBeats
  std::span<const float> odd;               // [B]
};

// Makes V beats that are bumps Q. Returns 1 for each V beat where the line is bent, those that are Q now among them,
// [K].
//   kinds  [K]
std::vector<std::uint8_t> tell_bumps(const BumpBeats& beats, const BumpOptions& options, std::vector<Kind>& kinds);

}  // namespace beatscan
