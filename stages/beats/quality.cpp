#include "stages/beats/quality.h"

#include <algorithm>
#include <limits>

#include "stages/common/robust.h"

namespace beatscan {
namespace {

// Returns the upper quartile of the ranges of blocks that move at all; of many blocks, of some, evenly spread. It is
// the upper quartile so that an electrode may be off for most of a recording, and so that a recording may be all noise.
double usual_range(const std::vector<BlockFacts>& facts) {
  std::vector<double> ranges;
  for (std::size_t i = 0; i < facts.size(); i += facts.size() / kMostSampled + 1)
    if (facts[i].max > facts[i].min) ranges.push_back(facts[i].max - facts[i].min);
  return ranges.empty() ? 0 : quantile(ranges, 0.75);
}

// The ends of the amplifier's range: the outermost values at which blocks stay for more than `plateau` samples, or an
// infinity where there is none. A single sample further out is not an end. Nor is a baseline, at which most blocks stay
// for most of the time.
struct Ends {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  Ends(const std::vector<BlockFacts>& facts, double plateau) {
    std::int64_t mostly_low = 0, mostly_high = 0;
    for (const auto& block : facts) {
      if (block.at_min > plateau) low = std::min(low, block.min);
      if (block.at_max > plateau) high = std::max(high, block.max);
      mostly_low += 2 * block.at_min > block.samples;
      mostly_high += 2 * block.at_max > block.samples;
    }
    if (2 * mostly_low > std::ssize(facts)) low = std::numeric_limits<float>::infinity();
    if (2 * mostly_high > std::ssize(facts)) high = -std::numeric_limits<float>::infinity();
  }
  double samples_at(const BlockFacts& block) const {
    return (block.min == low ? block.at_min : 0) + (block.max == high ? block.at_max : 0);
  }
};

}  // namespace

SignalQuality classify_blocks(const std::vector<BlockFacts>& facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz) {
  SignalQuality quality{.block_samples = block_samples};
  quality.blocks.reserve(facts.size());
  const double flat = options.flat_range * usual_range(facts), plateau = options.clip_s * sample_rate_hz;
  const Ends ends(facts, plateau);
  for (const auto& block : facts)
    quality.blocks.push_back(block.max - block.min <= flat                      ? Quality::flat
                             : ends.samples_at(block) > plateau                 ? Quality::clipped
                             : block.loud > options.noisy_share * block.samples ? Quality::noisy
                                                                                : Quality::good);
  return quality;
}

void mark_missing(SignalQuality& quality, std::span<const std::int64_t> gap_firsts,
                  std::span<const std::int64_t> gap_lasts) {
  std::vector<std::int64_t> missing(quality.blocks.size());
  const auto last_block = std::ssize(quality.blocks) - 1;
  for (std::size_t gap = 0; gap < gap_firsts.size() && last_block >= 0; ++gap)
    for (std::int64_t first = gap_firsts[gap]; first <= gap_lasts[gap];) {
      const std::int64_t block = std::min(first / quality.block_samples, last_block);
      const std::int64_t end =
          block == last_block ? gap_lasts[gap] + 1 : std::min((block + 1) * quality.block_samples, gap_lasts[gap] + 1);
      missing[block] += end - first;
      first = end;
    }
  for (std::size_t block = 0; block < missing.size(); ++block)
    if (2 * missing[block] > quality.block_samples) quality.blocks[block] = Quality::missing;
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
