#include "stages/quality/quality.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/detect/judge_beats.h"
#include "kernels/runtime/error.h"
#include "stages/common/robust.h"
#include "stages/quality/quality_index.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {

namespace {

double middle_of(const BlockExtent& block) { return 0.5 * block.min + 0.5 * block.max; }

// Collects the middles of blocks that are not flat, from `block` on in steps of `step`. Leaves out the first of them if
// there are others.
void add_middles(const SignalQuality& quality, std::int64_t block, int step, std::vector<double>& middles) {
  std::vector<double> found;
  for (; block >= 0 && block < std::ssize(quality.blocks) && std::ssize(found) <= kBaselineBlocks; block += step)
    if (quality.blocks[block] != Quality::flat) found.push_back(middle_of(quality.extents[block]));
  middles.insert(middles.end(), found.begin() + (found.size() > 1), found.end());
}

// Returns whether the flat blocks [first, last) differ from the baseline around them.
bool are_away(const SignalQuality& quality, std::int64_t first, std::int64_t last) {
  std::vector<double> middles;
  add_middles(quality, first - 1, -1, middles);
  add_middles(quality, last, 1, middles);
  if (middles.empty()) return true;
  const double baseline = quantile(middles, 0.5);
  const auto is_away = [&](std::int64_t block) {
    return std::abs(middle_of(quality.extents[block]) - baseline) > quality.usual_range;
  };
  return is_away(first) || is_away(last - 1);
}

}  // namespace

std::vector<Stretch> off_stretches(const SignalQuality& quality, std::int64_t last_samples, double longest_pause) {
  std::vector<Stretch> off;
  const std::int64_t blocks = std::ssize(quality.blocks), samples = (blocks - 1) * quality.block_samples + last_samples;
  for (std::int64_t first = 0; first < blocks; ++first) {
    if (quality.blocks[first] != Quality::flat) continue;
    std::int64_t last = first;
    while (last < blocks && quality.blocks[last] == Quality::flat) ++last;
    const Stretch stretch{first * quality.block_samples, last == blocks ? samples : last * quality.block_samples};
    if (static_cast<double>(stretch.size()) > longest_pause || are_away(quality, first, last)) off.push_back(stretch);
    first = last;
  }
  return off;
}

namespace {

// Returns the upper quartile of the ranges of the blocks that move at all; of many blocks it takes a sample, evenly
// spread. The upper quartile is meaningful even if most of a recording is lead-off, and if a recording is all noise.
double usual_range(const std::vector<BlockFacts>& facts) {
  std::vector<double> ranges;
  for (std::size_t i = 0; i < facts.size(); i += facts.size() / kMostSampled + 1)
    if (facts[i].max > facts[i].min) ranges.push_back(facts[i].max - facts[i].min);
  return ranges.empty() ? 0 : quantile(ranges, 0.75);
}

// An end of the amplifier's range: the outermost value at which blocks stay for more than `plateau` samples. A single
// sample further out is no end. A baseline is no end either: most blocks stay at it for most of the time, but QRS
// complexes and T waves leave it for more than a twentieth of the time. A signal that stays longer at its smallest or
// largest value is clipped there. Constant blocks do not count.
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

// Returns whether the block moves between two levels, with little between them. A plateau at one end alone is an end of
// the amplifier's range: the values far from it may be an ECG.
bool has_two_levels(const BlockFacts& block) {
  constexpr double kAtEnds = 0.8, kAtEither = 0.1;
  const auto is_plateau = [&](std::int32_t samples) { return samples > kAtEither * block.samples; };
  if (is_plateau(block.at_min) != is_plateau(block.at_max)) return false;
  return block.near_min + block.near_max > kAtEnds * block.samples &&
         std::min(block.near_min, block.near_max) > kAtEither * block.samples;
}

// Returns whether a block rises or falls evenly through its range.
bool is_even(const BlockFacts& block) {
  constexpr double kLeast = 0.15, kMost = 0.26;
  const auto is_fifth = [&](std::int32_t samples) {
    return samples > kLeast * block.samples && samples < kMost * block.samples;
  };
  return is_fifth(block.near_min) && is_fifth(block.near_max);
}

// Returns the samples of a block of a recording of `samples` samples.
Stretch samples_of_block(const SignalQuality& quality, std::int64_t block, std::int64_t samples) {
  const std::int64_t first = block * quality.block_samples;
  return {first, block + 1 < std::ssize(quality.blocks) ? first + quality.block_samples : samples};
}

std::vector<Stretch> common_to(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  std::vector<Stretch> common;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Stretch both{std::max(a[i].first, b[j].first), std::min(a[i].last, b[j].last)};
    if (both.first < both.last) common.push_back(both);
    ++(a[i].last < b[j].last ? i : j);
  }
  return common;
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
  for (const BlockFacts& block : facts) {
    quality.blocks.push_back(block.max - block.min <= flat                              ? Quality::flat
                             : low.samples_at(block) + high.samples_at(block) > plateau ? Quality::clipped
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

std::span<const Stretch> gaps_in(const SignalQuality& quality, const Stretch& stretch) {
  const auto first = std::ranges::upper_bound(quality.gaps, stretch.first, {}, &Stretch::last),
             last = std::ranges::lower_bound(first, quality.gaps.end(), stretch.last, {}, &Stretch::first);
  return {first, last};
}

std::int64_t missing_samples(const SignalQuality& quality, std::int64_t first, std::int64_t last) {
  std::int64_t missing = 0;
  for (const Stretch& gap : gaps_in(quality, {first, last}))
    missing += std::min(gap.last, last) - std::max(gap.first, first);
  return missing;
}

void mark_missing(SignalQuality& quality, std::span<const std::int64_t> gap_firsts,
                  std::span<const std::int64_t> gap_lasts, std::int64_t samples) {
  quality.gaps.clear();
  for (std::size_t gap = 0; gap < gap_firsts.size(); ++gap)
    quality.gaps.push_back({gap_firsts[gap], gap_lasts[gap] + 1});
  for (std::int64_t b = 0; b < std::ssize(quality.blocks); ++b) {
    const Stretch block = samples_of_block(quality, b, samples);
    if (2 * missing_samples(quality, block.first, block.last) > block.size()) quality.blocks[b] = Quality::missing;
  }
}

void mark_noise(SignalQuality& quality, const QualityIndex& index, std::int64_t lead, std::int64_t samples,
                double longest_bridge) {
  if (!index.exists()) return;
  const auto is_long = [=](const Stretch& gap) { return static_cast<double>(gap.size()) > longest_bridge; };
  for (std::int64_t b = 0; b < std::ssize(quality.blocks); ++b) {
    if (quality.blocks[b] != Quality::good) continue;
    const Stretch block = samples_of_block(quality, b, samples);
    const double middle = (static_cast<double>(b) + 0.5) * static_cast<double>(quality.block_samples);
    const auto own = std::min(static_cast<std::int64_t>(middle / index.block_samples), index.blocks - 1);
    const float good = index.at(lead, own, quality::kGood), noise = index.at(lead, own, quality::kNoise);
    const bool has_gap = std::ranges::any_of(gaps_in(quality, block), is_long);
    if (has_gap ? noise > good : good < 0.5F) quality.blocks[b] = Quality::noisy;
  }
}

void mark_pause(SignalQuality& best, SignalQuality& lead, const Stretch& pause) {
  const std::int64_t half = lead.block_samples / 2;
  for (std::int64_t b = std::max<std::int64_t>(pause.first - half + lead.block_samples - 1, 0) / lead.block_samples;
       b < std::ssize(lead.blocks) && b * lead.block_samples + half < pause.last; ++b)
    for (Quality* block : {&best.blocks[b], &lead.blocks[b]})
      if (*block == Quality::noisy) *block = Quality::good;
}

std::vector<Stretch> common_stretches(const std::vector<std::vector<Stretch>>& lists) {
  if (lists.empty()) return {};
  std::vector<Stretch> common = lists.front();
  for (std::size_t l = 1; l < lists.size(); ++l) common = common_to(common, lists[l]);
  return common;
}

SignalQuality best_quality(std::span<const SignalQuality> leads, std::span<const std::uint8_t> counting) {
  std::optional<SignalQuality> best;
  std::vector<std::vector<Stretch>> gaps;
  for (std::size_t l = 0; l < leads.size(); ++l) {
    if (!counting[l]) continue;
    const SignalQuality& lead = leads[l];
    gaps.push_back(lead.gaps);
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
  best->gaps = common_stretches(gaps);
  return *best;
}

std::vector<QualityStretch> poor_stretches(const SignalQuality& quality, std::int64_t samples) {
  std::vector<QualityStretch> stretches;
  const auto blocks = std::ssize(quality.blocks);
  for (std::int64_t i = 0; i < blocks; ++i) {
    const Quality kind = quality.blocks[i];
    if (kind == Quality::good) continue;
    const auto [first, last] = samples_of_block(quality, i, samples);
    if (!stretches.empty() && stretches.back().kind == kind && stretches.back().last == first)
      stretches.back().last = last;
    else
      stretches.push_back({kind, first, last});
  }
  return stretches;
}

}  // namespace beatscan
