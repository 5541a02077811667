// kernels/quality/block_facts_common.h — what both back ends of block_facts.h share.
#pragma once

#include <cmath>

#include "kernels/quality/bands.h"
#include "kernels/quality/block_facts.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {

inline constexpr double kFlatS = 0.08, kRailS = 0.012, kFillS = 0.5;
inline constexpr int kLeastRun = 3;   // samples
inline constexpr int kFillPart = 7;   // the eighth smallest of a block's ten parts
inline constexpr int kQuietPart = 3;  // the fourth smallest

BEATSCAN_INLINE_BOTH float greatest_float() { return 3.402823466e38f; }
BEATSCAN_INLINE_BOTH float no_value() { return NAN; }

// Returns the first gap that does not end before a sample.
BEATSCAN_INLINE_BOTH std::int64_t gap_from(const LeadView& lead, std::int64_t sample) {
  return first_not_below(lead.gap_lasts, lead.gaps, sample);
}

// Returns how many samples of a block are missing.
BEATSCAN_INLINE_BOTH std::int64_t missing_of(const LeadView& lead, std::int64_t begin, std::int64_t end) {
  std::int64_t missing = 0;
  for (std::int64_t gap = gap_from(lead, begin); gap < lead.gaps && lead.gap_firsts[gap] < end; ++gap) {
    const std::int64_t first = lead.gap_firsts[gap] > begin ? lead.gap_firsts[gap] : begin;
    const std::int64_t last = lead.gap_lasts[gap] < end ? lead.gap_lasts[gap] : end - 1;
    missing += last - first + 1;
  }
  return missing;
}

// Returns the smallest change within a block that is not 0 and not beside a missing sample.
BEATSCAN_INLINE_BOTH float known_step(const LeadView& lead, std::int64_t begin, std::int64_t end) {
  float least = greatest_float();
  std::int64_t gap = gap_from(lead, begin);
  for (std::int64_t i = begin; i + 1 < end; ++i) {
    while (gap < lead.gaps && lead.gap_lasts[gap] < i) ++gap;
    if (gap < lead.gaps && lead.gap_firsts[gap] <= i + 1) continue;
    const float change = size_of(lead.samples[i + 1] - lead.samples[i]);
    if (change > 0) least = smaller(least, change);
  }
  return least;
}

// Stretches of equal samples within a block.
struct RunFacts {
  std::int64_t flat = 0, rail = 0;  // samples
  float jump = 0;
};

struct RunLimits {
  std::int64_t flat, rail;  // least samples
  double fill;              // samples that runs of filled-in values are shorter than
  float low, high;          // of the block
};

BEATSCAN_INLINE_BOTH std::int64_t least_run(double seconds, double rate_hz) {
  const double samples = seconds * rate_hz;
  const auto whole = static_cast<std::int64_t>(samples);
  const std::int64_t least = static_cast<double>(whole) < samples ? whole + 1 : whole;
  return least > kLeastRun ? least : kLeastRun;
}

// Adds the run of samples first .. last.
BEATSCAN_INLINE_BOTH void add_run(const LeadView& lead, const RunLimits& limits, std::int64_t first, std::int64_t last,
                                  RunFacts& facts) {
  const float* x = lead.samples;
  const std::int64_t length = last - first + 1;
  if (length >= limits.flat) facts.flat += length;
  if (length >= limits.rail && (x[first] == limits.low || x[first] == limits.high)) facts.rail += length;
  if (static_cast<double>(length) >= limits.fill) return;
  const float in = first > 0 ? size_of(x[first] - x[first - 1]) : 0;
  const float out = last + 1 < lead.count ? size_of(x[last + 1] - x[last]) : 0;
  facts.jump = larger(facts.jump, smaller(in, out));
}

// What a scan of a block finds of its changes and values.
struct ScanFacts {
  float low, high, least_change;
  float steepest[kParts];  // largest |change| of each tenth
};

BEATSCAN_INLINE_BOTH SampleFacts facts_from(const LeadView& lead, std::int64_t begin, std::int64_t end, ScanFacts& scan,
                                            const RunFacts& runs, std::int64_t missing) {
  const float step = missing > 0 ? known_step(lead, begin, end) : scan.least_change;
  sort_few(scan.steepest, kParts);
  const auto share = [&](std::int64_t samples) {
    return static_cast<float>(static_cast<double>(samples) / static_cast<double>(end - begin));
  };
  return {share(missing),
          share(runs.flat),
          share(runs.rail),
          runs.jump * lead.mv_per_unit,
          step < greatest_float() ? step * lead.mv_per_unit : no_value(),
          scan.steepest[kFillPart] * lead.mv_per_unit,
          (scan.high - scan.low) * lead.mv_per_unit};
}

// Facts of a part of 200 ms, which add up to those of a block.
struct PartFacts {
  float wave_low, wave_high, line_low, line_high, top, rise;
  float high, muscle, envelope;                // sums of sizes
  float high_squares, muscle_squares, energy;  // sums of squares
  float mains[4];
};
inline constexpr Reach kFactsReach{kMuscleReach,
                                   0};  // the value before the lead is the first one: no change leads to it

// Returns the extremes of what a function returns for a part's values.
struct Extremes {
  float low, high;
};
template <class Of>
BEATSCAN_INLINE_BOTH Extremes part_extremes(int first, const Of& of) {
  const Eight a = of(first, Eight{}), b = of(first + 8, Eight{}), c = of(first + 16, Eight{});
  const float rest = of(first + 24, float{});
  return {smaller(least_of(smaller(smaller(a, b), c)), rest), larger(most_of(larger(larger(a, b), c)), rest)};
}

// Measures the part that begins at an element. `muscle` takes the place of the tile's qrs.
BEATSCAN_INLINE_BOTH PartFacts part_facts(const Tile& tile, const LeadView& lead, int at, int within_block) {
  const auto wave = [&](int i, auto kind) BEATSCAN_INLINED { return read(tile.wave + i, kind); };
  const auto line = [&](int i, auto kind) BEATSCAN_INLINED { return read(tile.line + i, kind); };
  const auto envelope = [&](int i, auto kind) BEATSCAN_INLINED { return read(tile.envelope + i, kind); };
  const auto muscle = [&](int i, auto kind) BEATSCAN_INLINED { return read(tile.qrs + i, kind); };
  const auto high = [&](int i, auto kind)
                        BEATSCAN_INLINED { return read(tile.whole + i, kind) - read(tile.wave + i, kind); };
  const auto sum_of_sizes = [&](const auto& of) BEATSCAN_INLINED {
    return part_sum(at, [&](int i, auto kind) BEATSCAN_INLINED { return size_of(of(i, kind)); });
  };
  const auto sum_of_squares = [&](const auto& of) BEATSCAN_INLINED {
    return part_sum(at, [&](int i, auto kind) BEATSCAN_INLINED { return of(i, kind) * of(i, kind); });
  };
  const Extremes waves = part_extremes(at, wave), lines = part_extremes(at, line);
  const Extremes rises = part_extremes(at, [&](int i, auto kind) BEATSCAN_INLINED {
    return size_of(read(tile.wave + i, kind) - read(tile.wave + i - 1, kind));
  });
  PartFacts facts{waves.low,
                  waves.high,
                  lines.low,
                  lines.high,
                  part_extremes(at, envelope).high,
                  rises.high,
                  sum_of_sizes(high),
                  sum_of_sizes(muscle),
                  part_sum(at, envelope),
                  sum_of_squares(high),
                  sum_of_squares(muscle),
                  sum_of_squares(wave),
                  {}};
  for (int k = 0; k < 4; ++k) {
    const float* turns = lead.filters->mains[k] + within_block - at;
    facts.mains[k] = part_sum(
        at, [&](int i, auto kind) BEATSCAN_INLINED { return read(tile.whole + i, kind) * read(turns + i, kind); });
  }
  return facts;
}

BEATSCAN_INLINE_BOTH BandFacts facts_of_parts(const PartFacts* parts) {
  PartFacts all = parts[0];
  float high[kParts], muscle[kParts], envelope[kParts];
  for (int p = 0; p < kParts; ++p) {
    const PartFacts& part = parts[p];
    high[p] = part.high, muscle[p] = part.muscle, envelope[p] = part.envelope;
    if (p == 0) continue;
    all.wave_low = smaller(all.wave_low, part.wave_low), all.wave_high = larger(all.wave_high, part.wave_high);
    all.line_low = smaller(all.line_low, part.line_low), all.line_high = larger(all.line_high, part.line_high);
    all.top = larger(all.top, part.top), all.rise = larger(all.rise, part.rise);
    all.high_squares = all.high_squares + part.high_squares;
    all.muscle_squares = all.muscle_squares + part.muscle_squares;
    all.energy = all.energy + part.energy;
    for (int k = 0; k < 4; ++k) all.mains[k] = all.mains[k] + part.mains[k];
  }
  sort_few(high, kParts), sort_few(muscle, kParts), sort_few(envelope, kParts);
  const auto power = [&](int k) { return all.mains[k] * all.mains[k] + all.mains[k + 1] * all.mains[k + 1]; };
  constexpr float kMean = 1.0f / kPartValues;
  return {all.wave_high - all.wave_low,
          all.rise,
          (high[kParts / 2 - 1] + high[kParts / 2]) * 0.5f * kMean,
          muscle[kQuietPart] * kMean,
          envelope[kQuietPart] * kMean,
          sqrtf(all.high_squares * (1.0f / kBlockValues)),
          sqrtf(all.muscle_squares * (1.0f / kBlockValues)),
          all.line_high - all.line_low,
          larger(power(0), power(2)),
          all.energy,
          all.top};
}

// Measures the blocks of a tile. `parts` has room for kParts facts of each.
template <class Team>
BEATSCAN_TEAM void tile_facts(const Tile& tile, const LeadView& lead, PartFacts* parts, BandFacts* facts) {
  compute_bands<Team>(tile, lead, kFactsReach, true);
  const int values = tile.blocks * kBlockValues;
  Team::vectors(kMargin, kMargin + values, [&](int i) BEATSCAN_INLINED {
    Team::store(tile.qrs + i,
                Team::load(tile.wave + i) - response<Team, kMuscleReach>(tile.wave + i, lead.filters->muscle));
  });
  Team::each(0, tile.blocks * kParts, [&](int p) BEATSCAN_INLINED {
    parts[p] = part_facts(tile, lead, kMargin + p * kPartValues, p % kParts * kPartValues);
  });
  Team::each(0, tile.blocks, [&](int b) BEATSCAN_INLINED { facts[b] = facts_of_parts(parts + b * kParts); });
}

inline void check_blocks(const LeadView& lead, std::int64_t first, std::int64_t count) {
  BEATSCAN_EXPECTS(lead.count > 0 && first >= 0 && first + count <= lead.blocks, "quality: blocks beyond the lead");
}

}  // namespace beatscan::quality
