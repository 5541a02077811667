// stages/beats/quality.h — where the signal can be trusted, block by block.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/beats/quality.h"

namespace beatscan {

struct QualityOptions {
  double flat_range = 0.05;  // flat is a block that spans at most this times the upper quartile of the blocks,
  double clip_s = 0.060;     // clipped one with more than this on plateaus at an end of the amplifier's range,
  double noisy_rest = 0.35;  // noisy one whose envelope is above this times the local level
  double noisy_share = 0.5;  // for more than this share of its time (beats alone: 0.1 to 0.3; white noise: 0.75 to 1)
};

struct SignalQuality {
  std::vector<Quality> blocks;
  std::int64_t block_samples = 1;  // the last block is up to half as long again
};

SignalQuality classify_blocks(const std::vector<BlockFacts>& facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz);

// Blocks most of whose samples are missing. Gaps as first and last sample of each, ascending.
void mark_missing(SignalQuality& quality, std::span<const std::int64_t> gap_firsts,
                  std::span<const std::int64_t> gap_lasts);

// A stretch of one kind, in samples [first, last).
struct QualityStretch {
  Quality kind;
  std::int64_t first, last;
};

// All that is not good, neighbouring blocks of a kind as one, for a recording of `samples`.
std::vector<QualityStretch> poor_stretches(const SignalQuality& quality, std::int64_t samples);

}  // namespace beatscan
