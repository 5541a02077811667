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

#include "stages/findings/kinds.h"

namespace beatscan {

// The defaults were chosen on DS1 of the MIT-BIH Arrhythmia Database, 39 records of the MIT-BIH Supraventricular
// Arrhythmia Database, and the noise stress test with both leads and with one.
struct BumpOptions {
  double in_time = 0.12;         // most distance of a usual beat from its time, in usual intervals
  std::int64_t most_apart = 20;  // most usual intervals between two N beats with bumps between them
  std::int64_t beats = 6;        // number of N beats on either side that tell whether the line is bent
  double least_odd = 1;          // least median waveform score of these N beats where the line is bent
  double most_odd = 8;           // an N beat with a higher score does not count: it may be a V beat
  double least_noise = 1.3;      // least median noise of these N beats where the line is bent
  double reach = 12;             // usual intervals on either side of a V beat in which bumps make it a bump, too
  double least_share = 0.3;      // least share of bumps among the V beats within reach
  std::int64_t least_beats = 2;  // least number of bumps within reach
};

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
