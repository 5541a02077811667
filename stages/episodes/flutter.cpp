#include "stages/episodes/flutter.h"

#include <algorithm>
#include <cmath>

#include "kernels/rhythm/restless.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/leakage.h"
#include "stages/common/robust.h"
#include "stages/episodes/episode_options.h"
#include "stages/quality/quality_at.h"

namespace beatscan {
namespace {

// Fewest sure blocks, and least confidence, of an episode that not all leads show.
constexpr int kDividedBlocks = 4;
constexpr double kLeastDivided = 0.2;

// Returns the blocks that are never at rest by the weaker limit.
std::vector<std::int64_t> restless_blocks(const std::vector<RestlessParts>& rest, double share) {
  std::vector<std::int64_t> blocks;
  for (std::int64_t b = 0; b < std::ssize(rest); ++b)
    if (rest[b].more > share * rest[b].parts) blocks.push_back(b);
  return blocks;
}

FlutterBlock judged(const Leakage& leakage, bool sure_rest, double point_hz, double usual_range,
                    const FlutterOptions& options) {
  FlutterBlock block{.leakage = leakage.share(), .hz = point_hz / (2.0 * leakage.lag)};
  block.comes_to_rest = !(leakage.range > options.least_range * usual_range);
  if (block.hz > options.fastest_hz || block.comes_to_rest) return block;
  block.may_be = block.leakage < options.leakage_more;
  block.sure = sure_rest && block.leakage < options.leakage && block.hz >= options.slowest_hz;
  return block;
}

// Marks the blocks that are within `reach` of a sure one.
std::vector<std::uint8_t> near_sure(std::span<const FlutterBlock> blocks, std::int64_t reach) {
  const std::int64_t count = std::ssize(blocks);
  std::vector<std::uint8_t> near(count);
  for (std::int64_t b = 0; b < count; ++b)
    if (blocks[b].sure)
      for (std::int64_t j = std::max<std::int64_t>(b - reach, 0); j <= std::min(b + reach, count - 1); ++j) near[j] = 1;
  return near;
}

// Says whether a lead is good and comes to rest in a block and all blocks kCalmBlocks around it.
bool is_calm(const std::vector<FlutterBlock>& lead, const SignalQuality& quality, std::int64_t b, std::int64_t block) {
  constexpr std::int64_t kCalmBlocks = 3;
  const std::int64_t first = std::max<std::int64_t>(b - kCalmBlocks, 0),
                     last = std::min(b + kCalmBlocks + 1, std::ssize(lead));
  for (std::int64_t i = first; i < last; ++i)
    if (!lead[i].comes_to_rest || quality_at(quality, static_cast<double>(i * block + block / 2)) != Quality::good)
      return false;
  return true;
}

// Makes the episode of the blocks [first, last).
Episode episode_of(std::span<const FlutterBlock> blocks, const FlutterOptions& options) {
  if (std::ranges::none_of(blocks, &FlutterBlock::sure)) return {};
  std::vector<double> leakages, frequencies;
  double sure = 0;
  for (const auto& block : blocks)
    if (block.sure) {
      leakages.push_back(block.leakage);
      frequencies.push_back(block.hz);
      sure += block.share;
    }
  const bool flutter =
      quantile(leakages, 0.5) < options.flutter_leakage && quantile(frequencies, 0.5) < options.flutter_hz;
  return {.label = flutter ? EpisodeLabel::ventricular_flutter : EpisodeLabel::ventricular_fibrillation,
          .confidence = sure / static_cast<double>(blocks.size())};
}

// Says whether the blocks of an episode are enough: sure ones in all leads, or more that not all leads show.
bool is_told(std::span<const FlutterBlock> blocks, double confidence, const FlutterOptions& options) {
  const auto sure = std::ranges::count_if(blocks, &FlutterBlock::sure);
  const auto agreed = std::ranges::count_if(blocks, [](const auto& its) { return its.sure && its.share == 1; });
  return agreed >= std::max(options.least_blocks, 1) ||
         (sure >= std::max(options.least_blocks, kDividedBlocks) && confidence >= kLeastDivided);
}

}  // namespace

std::int64_t flutter_block_samples(double rate_hz, const FlutterOptions& options) {
  return std::max<std::int64_t>(std::llround(options.block_s * rate_hz), 4);
}

std::int64_t flutter_block_count(std::int64_t samples, std::int64_t block) {
  return std::max<std::int64_t>((samples + block / 2) / block, 1);
}

template <class Context>
std::vector<FlutterBlock> flutter_blocks(Context& context, std::span<const float> samples, std::span<const float> parts,
                                         int width, double usual_range, double rate_hz, const FlutterOptions& options) {
  const std::int64_t block = flutter_block_samples(rate_hz, options),
                     count = flutter_block_count(std::ssize(samples), block);
  Buffer<RestlessParts, Context> counted(context, count);
  restless_parts(context, parts, width, block,
                 {static_cast<float>(options.rest), static_cast<float>(options.rest_more)}, counted);
  const auto rest = to_host(context, counted);
  const auto restless = restless_blocks(rest, options.rest_share);
  std::vector<FlutterBlock> blocks(count);
  for (FlutterBlock& block_of_lead : blocks) block_of_lead.comes_to_rest = true;
  for (const std::int64_t b : restless) blocks[b].comes_to_rest = false;
  if (restless.empty()) return blocks;
  std::vector<std::int64_t> firsts;
  for (const std::int64_t b : restless) firsts.push_back(b * block - block / 2);
  const auto filters = leakage_filters(rate_hz);
  Buffer<Leakage, Context> measured(context, std::ssize(firsts));
  leakage(context, samples, from_host(context, firsts), std::max(static_cast<int>(2 * block / filters.step), 4),
          filters, measured);
  const auto leakages = to_host(context, measured);
  for (std::size_t i = 0; i < restless.size(); ++i) {
    const auto& own = rest[restless[i]];
    blocks[restless[i]] =
        judged(leakages[i], own.sure > options.rest_share * own.parts, rate_hz / filters.step, usual_range, options);
  }
  return blocks;
}

std::vector<FlutterBlock> join_flutter_leads(const std::vector<std::vector<FlutterBlock>>& leads,
                                             const std::vector<SignalQuality>& quality, std::int64_t block,
                                             const ShowsBeats& shows_beats) {
  BEATSCAN_EXPECTS(!leads.empty() && leads.size() == quality.size(), "join_flutter_leads: quality of other leads");
  std::vector<FlutterBlock> all(leads.front().size());
  for (std::int64_t b = 0; b < std::ssize(all); ++b) {
    FlutterBlock joined{true, true, 0, 0};
    std::int64_t voices = 0, may_be = 0;
    bool denied = false;
    std::vector<std::size_t> others;
    for (std::size_t l = 0; l < leads.size(); ++l) {
      const Quality here = quality_at(quality[l], static_cast<double>(b * block + block / 2));
      if (here == Quality::flat || here == Quality::missing) continue;
      const FlutterBlock& own = leads[l][b];
      ++voices;
      if (!own.may_be) {
        others.push_back(l);
        denied |= is_calm(leads[l], quality[l], b, block);
        continue;
      }
      ++may_be;
      joined.sure &= own.sure;
      joined.leakage += own.leakage;
      joined.hz += own.hz;
    }
    if (may_be == 0 || denied || (voices > 2 && 2 * may_be <= voices)) continue;
    if (std::ranges::any_of(others, [&](std::size_t l) { return shows_beats(l, b); })) continue;
    const auto count = static_cast<double>(may_be);
    all[b] = {joined.sure, true, joined.leakage / count, joined.hz / count, count / static_cast<double>(voices)};
  }
  return all;
}

std::vector<Episode> flutter_episodes(std::span<const FlutterBlock> blocks, std::int64_t block, std::int64_t samples,
                                      const FlutterOptions& options) {
  const auto near = near_sure(blocks, options.reach_blocks);
  std::vector<Episode> episodes;
  const std::int64_t count = std::ssize(blocks);
  for (std::int64_t first = 0; first < count; ++first) {
    if (!blocks[first].sure && !(blocks[first].may_be && near[first])) continue;
    std::int64_t last = first + 1;  // after the last block of the episode
    for (std::int64_t b = last; b < count && b - last <= options.join_blocks; ++b)
      if (blocks[b].sure || (blocks[b].may_be && near[b])) last = b + 1;
    const auto its = blocks.subspan(first, last - first);
    Episode episode = episode_of(its, options);
    if (is_told(its, episode.confidence, options)) {
      episode.start = static_cast<double>(first * block);
      episode.end = static_cast<double>(last == count ? samples : std::min(last * block, samples));
      episodes.push_back(episode);
    }
    first = last - 1;
  }
  return episodes;
}

#define BEATSCAN_FLUTTER_BLOCKS(Context)                                                                           \
  template std::vector<FlutterBlock> flutter_blocks(Context&, std::span<const float>, std::span<const float>, int, \
                                                    double, double, const FlutterOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FLUTTER_BLOCKS)

}  // namespace beatscan
