#include "stages/quality.h"

#include <algorithm>
#include <limits>

#include "stages/robust.h"

namespace beatscan {
namespace {

// Of the blocks that move at all (most of a recording may be flat); of many blocks some, evenly spread.
double median_range(const std::vector<BlockFacts>& facts) {
  std::vector<double> ranges;
  for (std::size_t i = 0; i < facts.size(); i += facts.size() / kMostSampled + 1)
    if (facts[i].max > facts[i].min) ranges.push_back(facts[i].max - facts[i].min);
  return ranges.empty() ? 0 : quantile(ranges, 0.5);
}

}  // namespace

Quality SignalQuality::at(double sample) const {
  if (blocks.empty()) return Quality::good;
  const auto block = static_cast<std::int64_t>(sample) / block_samples;
  return blocks[std::clamp<std::int64_t>(block, 0, std::ssize(blocks) - 1)];
}

SignalQuality classify_blocks(const std::vector<BlockFacts>& facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz) {
  SignalQuality quality{.block_samples = block_samples};
  quality.blocks.reserve(facts.size());
  const double flat = options.flat_range * median_range(facts), plateau = options.clip_s * sample_rate_hz;
  float low = std::numeric_limits<float>::infinity(), high = -low;  // of the recording
  for (const auto& block : facts) {
    low = std::min(low, block.min);
    high = std::max(high, block.max);
  }
  for (const auto& block : facts) {
    const int at_ends = (block.min == low ? block.at_min : 0) + (block.max == high ? block.at_max : 0);
    quality.blocks.push_back(block.max - block.min <= flat                      ? Quality::flat
                             : at_ends > plateau                                ? Quality::clipped
                             : block.loud > options.noisy_share * block.samples ? Quality::noisy
                                                                                : Quality::good);
  }
  return quality;
}

std::vector<QualityStretch> poor_stretches(const SignalQuality& quality, std::int64_t samples) {
  std::vector<QualityStretch> stretches;
  const auto blocks = std::ssize(quality.blocks);
  for (std::int64_t i = 0; i < blocks; ++i) {
    const Quality kind = quality.blocks[i];
    if (kind == Quality::good) continue;
    const std::int64_t first = i * quality.block_samples,
                       last = i + 1 < blocks ? first + quality.block_samples : samples;
    if (!stretches.empty() && stretches.back().kind == kind && stretches.back().last == first)
      stretches.back().last = last;
    else
      stretches.push_back({kind, first, last});
  }
  return stretches;
}

}  // namespace beatscan
