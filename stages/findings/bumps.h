// stages/findings/bumps.h — tells V beats that are bumps of movement, because usual beats go on in time around them.
//
// An electrode that moves bends the line. A bump between two beats looks like a V beat, and a bump on a beat makes that
// look like one. Two things tell them from V beats:
//   - A V beat resets or blocks the rhythm of the usual beats. Bumps do not. From one N beat to the next one is a whole
//     number of usual intervals, and there is a beat at each of them: that beat is a usual one with a bump on it, and
//     all others are bumps between beats. A V beat that is interpolated looks the same.
//   - Bumps come with movement. So the N beats around are bent, too: they are odd, and there is noise.
// Where bumps are told, the other V beats nearby are no more to be believed. Other V beats where the line is bent may
// be bumps, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/findings/kinds.h"

namespace beatscan {

// The defaults were chosen on DS1 of the MIT-BIH Arrhythmia Database, 39 records of the MIT-BIH Supraventricular
// Arrhythmia Database, and the noise stress test with both leads and with one.
struct BumpOptions {
  double in_time = 0.12;         // how far a usual beat is from its time, in usual intervals
  std::int64_t most_apart = 20;  // usual intervals between two N beats
  std::int64_t beats = 6;        // N beats on either side that tell whether the line is bent
  double least_odd = 1;          // least median waveform score of these
  double least_noise = 1.3;      // least median noise of these
  double reach = 12;             // usual intervals on either side in which other V beats are bumps, too
  double least_share = 0.3;      // least share of the V beats there that usual beats tell to be bumps
  std::int64_t least_beats = 2;  // least number of these
};

// K beats that were found, B of which are rows.
struct BumpBeats {
  const std::vector<double>& r_peaks;       // [K] samples
  const std::vector<std::uint8_t>& broken;  // [K - 1]
  const std::vector<Kind>& kinds;           // [K]
  const std::vector<std::int64_t>& kept;    // [B] the beat of each row
  std::span<const float> noise;             // [B] see KindBeats
  std::span<const float> odd;               // [B]
};

struct Bumps {
  std::vector<std::int64_t> beats;  // V beats that are bumps, ascending
  std::vector<std::uint8_t> bent;   // [K] 1 for a V beat where the line is bent, bumps among them
};

Bumps bumps_of(const BumpBeats& beats, const BumpOptions& options);

}  // namespace beatscan
