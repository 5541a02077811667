// stages/beats/quality.h — tells block by block where the signal can be trusted.
//
// The first of these that holds is the quality of a block:
//   flat     it spans at most flat_range times the upper quartile of the ranges of all blocks
//   clipped  it stays at an end of the amplifier's range for more than clip_s in all
//   noisy    its envelope is above noisy_rest times the local level for more than noisy_share of its time
//   good
// A block of which more than half is missing is missing instead.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/beats/quality.h"

namespace beatscan {

struct QualityOptions {
  double flat_range = 0.05;  // largest range of a flat block, in upper quartiles of the blocks' ranges
  double clip_s = 0.060;     // most time on plateaus at an end of the amplifier's range in a block that is not clipped
  double noisy_rest = 0.35;  // height in local levels above which the envelope is not at rest
  double noisy_share = 0.5;  // largest share of time not at rest; beats alone have 0.1 to 0.3, white noise 0.75 to 1
};

struct SignalQuality {
  std::vector<Quality> blocks;
  std::int64_t block_samples = 1;  // length of a block; the last one is up to half as long again
};

// Tells each block's quality from its facts.
SignalQuality classify_blocks(const std::vector<BlockFacts>& facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz);

// Marks blocks of which more than half is missing. The gaps are given by first and last sample, ascending.
void mark_missing(SignalQuality& quality, std::span<const std::int64_t> gap_firsts,
                  std::span<const std::int64_t> gap_lasts);

// A stretch of blocks of one quality: samples [first, last).
struct QualityStretch {
  Quality kind;
  std::int64_t first, last;
};

// Returns the stretches of a recording of `samples` samples that are not good. Neighbouring blocks of one quality are
// one stretch.
std::vector<QualityStretch> poor_stretches(const SignalQuality& quality, std::int64_t samples);

}  // namespace beatscan
