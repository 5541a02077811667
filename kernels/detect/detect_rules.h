// kernels/detect/detect_rules.h — rejects beats that are noise, by their height and their neighbours.
//
//   z = ln h + 0.75 d(min(0.6 RR, 0.8 s)) + 0.9 d(min(0.9 RR, 1.2 s)) + 0.65
//   d(W) = ln h - the largest ln h of the other candidates within W, between -1.5 and 1.5
// h is the height of a candidate, and RR the reference RR around it. A beat stays iff z > -(1 - s) / s, where s is the
// share of noise in its block; where s = 0 it always stays. tests/reference/detection.py defines it in numpy.
//   C candidates, K beats, B blocks; times in samples
// A wrong shape throws ErrorKind::internal.
#pragma once

#include "kernels/detect/detect.h"

namespace beatscan {

// Lists the intervals between beats, and for each its own index, as local_quantiles() takes them.
//   at                  [C]
//   kept                [K] indices of the beats, K >= 1
//   intervals, indices  [K - 1]
void beat_intervals(Cpu&, std::span<const std::int64_t> at, std::span<const std::int64_t> kept,
                    std::span<double> intervals, std::span<std::int64_t> indices);
void beat_intervals(Cuda&, std::span<const std::int64_t> at, std::span<const std::int64_t> kept,
                    std::span<double> intervals, std::span<std::int64_t> indices);

struct DropInput {
  Candidates candidates;
  std::span<const float> noise;          // [B] share of noise in each block
  int block;                             // samples of a block
  double second;                         // samples of a second
  std::span<const std::uint32_t> found;  // [words_for(C)] the beats before any was rejected
  std::span<const std::int64_t> kept;    // [K] indices of the beats of the round before, K >= 2
  std::span<const double> reference_rr;  // [K - 1][2] around each interval between them; the first counts
};
//   beats    [words_for(C)] the beats of `found` that stay
//   dropped  [C] the height of a beat that is rejected; 0 for all other candidates
void drop_beats(Cpu&, const DropInput& input, std::span<std::uint32_t> beats, std::span<float> dropped);
void drop_beats(Cuda&, const DropInput& input, std::span<std::uint32_t> beats, std::span<float> dropped);

}  // namespace beatscan
