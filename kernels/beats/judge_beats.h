// kernels/beats/judge_beats.h — what each beat's surroundings say of it: gaps, flat stretches, blocks of poor signal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/beats/beats.h"
#include "kernels/beats/quality.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// Ascending, disjoint stretches of samples: first and last of each.
struct Stretches {
  std::span<const std::int64_t> firsts, lasts;
};

struct Surroundings {
  Stretches gaps, flat;
  std::span<const Quality> blocks;  // of block_samples each; the last goes on to the end. None: all good
  std::int64_t block_samples;
  double before, after;  // samples that a row covers, around the R peak
};

//   r_peaks  [K] samples, ascending
struct BeatFacts {
  std::span<Fate> fates;            // [K] in_gap where the row touches a gap, else kept
  std::span<Quality> quality;       // [K] of the block that the R peak is in
  std::span<std::uint8_t> trusted;  // [K] kept, and in good signal
  std::span<std::uint8_t> broken;   // [K - 1] a gap or a flat stretch lies between this R peak and the next
};
void judge_beats(Cpu&, std::span<const double> r_peaks, const Surroundings& around, BeatFacts facts);
void judge_beats(Cuda&, std::span<const double> r_peaks, const Surroundings& around, BeatFacts facts);

}  // namespace beatscan
