#include "stages/quality.h"

#include <algorithm>

#include "stages/robust.h"

namespace beatscan {
namespace {

// Of the blocks that move at all: most of a recording may be flat.
double median_range(std::span<const BlockFacts> facts) {
  std::vector<float> ranges(facts.size());
  std::vector<std::uint8_t> moves(facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    ranges[i] = facts[i].max - facts[i].min;
    moves[i] = ranges[i] > 0;
  }
  auto sample = sample_of(ranges, moves);
  return sample.empty() ? 0 : quantile(sample, 0.5);
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
  quality.blocks.reserve(facts.size());
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
