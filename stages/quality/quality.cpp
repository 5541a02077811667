#include "stages/quality/quality.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/beats/judge_beats.h"
#include "kernels/runtime/error.h"
#include "stages/common/robust.h"
#include "stages/quality/flat.h"
#include "stages/quality/quality_options.h"

namespace beatscan {
namespace {

// Returns the upper quartile of the ranges of the blocks that move at all; of many blocks it takes a sample, evenly
// spread. The upper quartile serves even where an electrode is off for most of a recording, and where a recording is
// all noise.
double usual_range(const std::vector<BlockFacts>& facts) {
  std::vector<double> ranges;
  for (std::size_t i = 0; i < facts.size(); i += facts.size() / kMostSampled + 1)
    if (facts[i].max > facts[i].min) ranges.push_back(facts[i].max - facts[i].min);
  return ranges.empty() ? 0 : quantile(ranges, 0.75);
}

// An end of the amplifier's range: the outermost value at which blocks stay for more than `plateau` samples. A single
// sample further out is no end. A baseline is no end either: most blocks stay at it for most of the time, but QRS
// complexes and T waves leave it for more than a twentieth. A signal that rests longer at its smallest or largest value
// is cut off there. Constant blocks do not count.
class End {
 public:
  // `sign` is 1 for the largest value and -1 for the smallest.
  End(const std::vector<BlockFacts>& facts, double plateau, float sign) : sign_(sign) {
    std::int64_t moving = 0, mostly = 0;
    double resting = 0, samples = 0;
    for (const auto& block : facts)
      if (block.max > block.min) {
        if (at(block) > plateau) value_ = std::max(value_, outermost(block));
        ++moving;
        mostly += 2 * at(block) > block.samples;
        resting += at(block);
        samples += block.samples;
      }
    if (2 * mostly <= moving || resting > kMostBaseline * samples) return;
    value_ = std::numeric_limits<float>::infinity();
    baseline_share_ = resting / samples;
  }
  double samples_at(const BlockFacts& block) const { return outermost(block) == value_ ? at(block) : 0; }
  double baseline_share() const { return baseline_share_; }  // share of time at a baseline; 0 if there is none

 private:
  static constexpr double kMostBaseline = 0.95;  // share of time; QRS complexes of 0.06 s at 50 a minute leave it so
  float outermost(const BlockFacts& block) const { return sign_ > 0 ? block.max : -block.min; }
  std::int32_t at(const BlockFacts& block) const { return sign_ > 0 ? block.at_max : block.at_min; }
  float sign_, value_ = -std::numeric_limits<float>::infinity();
  double baseline_share_ = 0;
};

// Returns the share of time, in each block and its neighbours, that the envelope is between the two heights.
std::vector<double> shares_between(const std::vector<BlockFacts>& facts) {
  std::vector<double> shares(facts.size());
  const auto blocks = std::ssize(facts);
  for (std::int64_t i = 0; i < blocks; ++i) {
    std::int64_t between = 0, samples = 0;
    for (std::int64_t j = std::max<std::int64_t>(i - 1, 0); j <= std::min(i + 1, blocks - 1); ++j) {
      between += facts[j].between;
      samples += facts[j].samples;
    }
    shares[i] = static_cast<double>(between) / static_cast<double>(samples);
  }
  return shares;
}

// Tells whether the envelope lingers where noise does. A quiet block beside strong noise does not count as noise: it
// has to linger itself for two thirds of that time.
bool lingers(const BlockFacts& block, double share_around, const QualityOptions& options) {
  constexpr double kOwn = 2.0 / 3;
  return share_around > options.noisy_between && block.between > kOwn * options.noisy_between * block.samples;
}

// Tells whether the block goes from one level to another and back, with little between them. A plateau at one end alone
// is an end of the amplifier's range: what is far from it may be an ECG.
bool has_two_levels(const BlockFacts& block) {
  constexpr double kAtEnds = 0.8, kAtEither = 0.1;
  const auto is_plateau = [&](std::int32_t samples) { return samples > kAtEither * block.samples; };
  if (is_plateau(block.at_min) != is_plateau(block.at_max)) return false;
  return block.near_min + block.near_max > kAtEnds * block.samples &&
         std::min(block.near_min, block.near_max) > kAtEither * block.samples;
}

// Tells whether a block rises or falls evenly through its range.
bool is_even(const BlockFacts& block) {
  constexpr double kLeast = 0.15, kMost = 0.26;
  const auto is_fifth = [&](std::int32_t samples) {
    return samples > kLeast * block.samples && samples < kMost * block.samples;
  };
  return is_fifth(block.near_min) && is_fifth(block.near_max);
}

// Returns the blocks that lie within a stretch.
std::span<Quality> blocks_within(std::vector<Quality>& blocks, const Stretch& stretch, std::int64_t block_samples) {
  const std::int64_t last = std::min(stretch.last / block_samples, std::ssize(blocks)),
                     first = std::min((stretch.first + block_samples - 1) / block_samples, last);
  return std::span(blocks).subspan(first, last - first);
}

// Returns the flags of the blocks that a stretch touches.
std::span<std::uint8_t> blocks_touched(std::vector<std::uint8_t>& flags, const Stretch& stretch,
                                       std::int64_t block_samples) {
  const std::int64_t last = std::min((stretch.last + block_samples - 1) / block_samples, std::ssize(flags)),
                     first = std::min(stretch.first / block_samples, last);
  return std::span(flags).subspan(first, last - first);
}

// Returns the quality of a block in the best of some leads.
Quality least_poor(std::span<const SignalQuality> leads, const std::vector<std::size_t>& places, std::size_t block) {
  Quality least = Quality::missing;
  for (const std::size_t l : places) least = std::ranges::min(least, leads[l].blocks[block], {}, poorness);
  return least;
}

SignalNature nature_of(const std::vector<BlockFacts>& facts, double flat, double rests_at_end) {
  SignalNature nature{.rests_at_end = rests_at_end};
  std::vector<double> shares;
  std::int64_t moving = 0, two_levels = 0, even = 0;
  for (const auto& block : facts)
    if (const double range = static_cast<double>(block.max) - block.min; range > flat) {
      ++moving;
      two_levels += has_two_levels(block);
      even += is_even(block);
      if (block.level > 0) shares.push_back(block.level / range);
    }
  if (moving > 0) nature.two_levels = static_cast<double>(two_levels) / static_cast<double>(moving);
  if (moving > 0) nature.even = static_cast<double>(even) / static_cast<double>(moving);
  if (!shares.empty()) nature.qrs_share = quantile(shares, 0.9);
  return nature;
}

}  // namespace

EnvelopeHeights heights_of(const QualityOptions& options) {
  return {static_cast<float>(options.noisy_rest), static_cast<float>(options.noisy_low),
          static_cast<float>(options.noisy_high)};
}

bool is_bridged(std::int64_t first, std::int64_t last, double bridge_s, double sample_rate_hz) {
  return static_cast<double>(last - first + 1) <= bridge_s * sample_rate_hz;
}

SignalQuality classify_blocks(const std::vector<BlockFacts>& facts, std::int64_t block_samples,
                              const QualityOptions& options, double sample_rate_hz) {
  SignalQuality quality{.block_samples = block_samples};
  quality.blocks.reserve(facts.size());
  quality.usual_range = usual_range(facts);
  const double flat = options.flat_range * quality.usual_range, plateau = options.clip_s * sample_rate_hz;
  const End low(facts, plateau, -1), high(facts, plateau, 1);
  const auto between = shares_between(facts);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const BlockFacts& block = facts[i];
    const bool noisy = block.loud > options.noisy_share * block.samples || lingers(block, between[i], options);
    quality.blocks.push_back(block.max - block.min <= flat                              ? Quality::flat
                             : low.samples_at(block) + high.samples_at(block) > plateau ? Quality::clipped
                             : noisy                                                    ? Quality::noisy
                                                                                        : Quality::good);
    quality.extents.push_back({block.min, block.max});
  }
  if (!facts.empty()) quality.off = off_stretches(quality, facts.back().samples, options.pause_s * sample_rate_hz);
  quality.nature = nature_of(facts, flat, std::max(low.baseline_share(), high.baseline_share()));
  return quality;
}

std::vector<std::uint8_t> likely_leads(std::span<const SignalNature> natures, std::vector<std::uint8_t> counting) {
  BEATSCAN_EXPECTS(natures.size() == counting.size(), "likely_leads: natures of other leads");
  bool any = false;
  for (std::size_t l = 0; l < natures.size(); ++l) any |= counting[l] && natures[l].may_be_ecg();
  for (std::size_t l = 0; l < natures.size() && any; ++l) counting[l] &= natures[l].may_be_ecg();
  return counting;
}

std::vector<std::size_t> likely_places(std::span<const SignalQuality> leads) {
  std::vector<SignalNature> natures;
  for (const auto& lead : leads) natures.push_back(lead.nature);
  const auto counting = likely_leads(natures, std::vector<std::uint8_t>(leads.size(), 1));
  std::vector<std::size_t> places;
  for (std::size_t l = 0; l < counting.size(); ++l)
    if (counting[l]) places.push_back(l);
  return places;
}

void mark_missing(SignalQuality& quality, std::span<const std::int64_t> gap_firsts,
                  std::span<const std::int64_t> gap_lasts, std::int64_t samples) {
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
  for (std::int64_t block = 0; block <= last_block; ++block) {
    const std::int64_t length = block == last_block ? samples - block * quality.block_samples : quality.block_samples;
    if (2 * missing[block] > length) quality.blocks[block] = Quality::missing;
  }
}

void mark_hum(SignalQuality& best, std::span<SignalQuality> leads, std::span<const std::vector<Stretch>> stretches) {
  BEATSCAN_EXPECTS(leads.size() == stretches.size(), "mark_hum: stretches of other leads");
  std::vector<std::uint8_t> touched(best.blocks.size());
  for (std::size_t l = 0; l < leads.size(); ++l)
    for (const Stretch& hum : stretches[l]) {
      for (Quality& own : blocks_within(leads[l].blocks, hum, best.block_samples))
        if (own == Quality::good) own = Quality::noisy;
      std::ranges::fill(blocks_touched(touched, hum, best.block_samples), 1);
    }
  const auto places = likely_places(leads);
  for (std::size_t b = 0; b < touched.size(); ++b)
    if (touched[b]) best.blocks[b] = std::ranges::max(best.blocks[b], least_poor(leads, places, b), {}, poorness);
}

SignalQuality best_quality(std::span<const SignalQuality> leads, std::span<const std::uint8_t> counting) {
  std::optional<SignalQuality> best;
  for (std::size_t l = 0; l < leads.size(); ++l) {
    if (!counting[l]) continue;
    const SignalQuality& lead = leads[l];
    if (!best) {
      best = {lead.blocks, lead.block_samples, lead.nature};
      continue;
    }
    BEATSCAN_EXPECTS(lead.blocks.size() == best->blocks.size(), "best_quality: leads of several lengths");
    for (std::size_t b = 0; b < lead.blocks.size(); ++b)
      best->blocks[b] = std::ranges::min(best->blocks[b], lead.blocks[b], {}, poorness);
    best->nature = {std::max(best->nature.qrs_share, lead.nature.qrs_share),
                    std::min(best->nature.two_levels, lead.nature.two_levels),
                    std::min(best->nature.rests_at_end, lead.nature.rests_at_end),
                    std::min(best->nature.even, lead.nature.even)};
  }
  BEATSCAN_EXPECTS(best, "best_quality: no lead counts");
  return *best;
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
