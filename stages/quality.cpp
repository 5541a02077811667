#include "stages/quality.h"

#include <algorithm>

namespace beatscan {
namespace {

// Of the blocks that move at all: most of a recording may be flat.
float median_range(std::span<const BlockFacts> facts) {
  std::vector<float> ranges;
  for (const auto& block : facts)
    if (block.max > block.min) ranges.push_back(block.max - block.min);
  if (ranges.empty()) return 0;
  const auto middle = ranges.begin() + std::ssize(ranges) / 2;
  std::nth_element(ranges.begin(), middle, ranges.end());
  return *middle;
}

}  // namespace

Quality SignalQuality::at(double sample) const {
  if (blocks.empty()) return Quality::good;
  const auto block = static_cast<std::int64_t>(sample) / block_samples;
  return blocks[std::clamp<std::int64_t>(block, 0, std::ssize(blocks) - 1)];
}

SignalQuality classify_blocks(std::span<const BlockFacts> facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz) {
  SignalQuality quality{.block_samples = block_samples};
  const double flat = options.flat_range * median_range(facts), plateau = options.clip_s * sample_rate_hz;
  const float low = facts.empty() ? 0 : std::ranges::min(facts, {}, &BlockFacts::min).min;
  const float high = facts.empty() ? 0 : std::ranges::max(facts, {}, &BlockFacts::max).max;
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
