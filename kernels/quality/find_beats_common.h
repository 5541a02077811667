// kernels/quality/find_beats_common.h — what both back ends of find_beats share.
#pragma once

#include <cmath>
#include <numbers>

#include "kernels/quality/bands.h"
#include "kernels/quality/beats.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {

inline constexpr float kPeakShare = 0.38f;  // of the level
inline constexpr int kFrame = 2 * kBlockValues, kFrameParts = kFrame / kPartValues, kFrameBefore = kBlockValues / 2;
inline constexpr int kEdge = kHalfBeat - kFirstShift;  // least values from a beat to an end of the lead
inline constexpr Reach kBeatsReach{kFrameBefore + 1, kPeakReach};

// The sums of one part of a frame. `first` and `second` are those that the step of the leakage needs.
struct LeakageSums {
  float first, second;
};

struct FrameFacts {
  float mean;
  int lag;
};

// Memory of a tile besides its bands.
struct BeatTile {
  LeakageSums* sums;   // [blocks][kFrameParts]
  FrameFacts* frames;  // [blocks]
};

BEATSCAN_INLINE_BOTH float total_of(const LeakageSums* sums, float LeakageSums::*which) {
  float total = 0;
  for (int p = 0; p < kFrameParts; ++p) total = total + sums[p].*which;
  return total;
}

// Returns the part of |v_i + v_(i - lag)| and |v_i| + |v_(i - lag)| that 25 values of a frame have, those from `lag`
// on.
BEATSCAN_INLINE_BOTH LeakageSums lagged_sums(const float* frame, float mean, int lag, int first) {
  const auto apart = [&](int i, auto kind) BEATSCAN_INLINED {
    const auto m = same(mean, kind);
    return size_of((read(frame + i, kind) - m) + (read(frame + i - lag, kind) - m));
  };
  const auto together = [&](int i, auto kind) BEATSCAN_INLINED {
    const auto m = same(mean, kind);
    return size_of(read(frame + i, kind) - m) + size_of(read(frame + i - lag, kind) - m);
  };
  if (first >= lag) return {part_sum(first, apart), part_sum(first, together)};
  LeakageSums sums{0, 0};
  for (int i = lag; i < first + kPartValues; ++i) {
    sums.first = sums.first + apart(i, float{});
    sums.second = sums.second + together(i, float{});
  }
  return sums;
}

BEATSCAN_INLINE_BOTH int lag_of(float size, float change) {
  const float lag = static_cast<float>(std::numbers::pi) * size / change + 0.5f;
  return lag < 1 ? 1 : lag < kBlockValues ? static_cast<int>(lag) : kBlockValues;
}

// Measures the leakage of each block of a tile, over its frame: a second before it to a second after it.
template <class Team>
BEATSCAN_TEAM void measure_leakage(const Tile& tile, const LocalMedians* medians, const BeatTile& memory,
                                   Leakage* leakage) {
  const int parts = tile.blocks * kFrameParts;
  const auto frame = [&](int b) BEATSCAN_INLINED { return tile.wave + kMargin + b * kBlockValues - kFrameBefore; };
  const auto least = [&](int b) BEATSCAN_INLINED {
    return kFrame * scales_of(medians[(tile.first_block + b) / kGroupBlocks]).floor;
  };
  Team::each(0, parts, [&](int p) BEATSCAN_INLINED {
    const float* v = frame(p / kFrameParts);
    memory.sums[p].first =
        part_sum(p % kFrameParts * kPartValues, [&](int i, auto kind) BEATSCAN_INLINED { return read(v + i, kind); });
  });
  Team::each(0, tile.blocks, [&](int b) BEATSCAN_INLINED {
    memory.frames[b].mean = total_of(memory.sums + b * kFrameParts, &LeakageSums::first) * (1.0f / kFrame);
  });
  Team::each(0, parts, [&](int p) BEATSCAN_INLINED {
    const float* v = frame(p / kFrameParts);
    const float mean = memory.frames[p / kFrameParts].mean;
    const int first = p % kFrameParts * kPartValues;
    const auto size = [&](int i, auto kind) BEATSCAN_INLINED { return size_of(read(v + i, kind) - same(mean, kind)); };
    const auto change = [&](int i, auto kind)
                            BEATSCAN_INLINED { return size_of(read(v + i, kind) - read(v + i - 1, kind)); };
    memory.sums[p] = {part_sum(first, size), part_sum(first, change)};
    if (first == 0) memory.sums[p].second = memory.sums[p].second - change(0, float{});  // from the value before
  });
  Team::each(0, tile.blocks, [&](int b) BEATSCAN_INLINED {
    const LeakageSums* sums = memory.sums + b * kFrameParts;
    memory.frames[b].lag = lag_of(total_of(sums, &LeakageSums::first), total_of(sums, &LeakageSums::second) + least(b));
  });
  Team::each(0, parts, [&](int p) BEATSCAN_INLINED {
    const FrameFacts& facts = memory.frames[p / kFrameParts];
    memory.sums[p] = lagged_sums(frame(p / kFrameParts), facts.mean, facts.lag, p % kFrameParts * kPartValues);
  });
  Team::each(0, tile.blocks, [&](int b) BEATSCAN_INLINED {
    const LeakageSums* sums = memory.sums + b * kFrameParts;
    leakage[b] = {total_of(sums, &LeakageSums::first) / (total_of(sums, &LeakageSums::second) + least(b)),
                  static_cast<float>(kValuesHz) / (2 * static_cast<float>(memory.frames[b].lag))};
  });
}

// Says whether an element of the envelope, which is prolonged beyond the lead, is a beat.
BEATSCAN_INLINE_BOTH bool is_peak(const float* envelope, int i, float least, int begin, int end) {
  const float own = envelope[i];
  if (!(own > least) || envelope[i + 1] > own) return false;
  for (int k = i - 1; k >= begin && k >= i - kPeakReach; --k)
    if (envelope[k] >= own) return false;
  for (int k = i + 1; k < end && k <= i + kPeakReach; ++k)
    if (envelope[k] > own) return false;
  return true;
}

// Fills the row of a beat from `wave`, which begins with its first value.
BEATSCAN_INLINE_BOTH void fill_row(const float* wave, float floor, BeatRow& row) {
  Eight sum = eight(0), squares = eight(kBeatValues * floor * floor);
  for (int k = 0; k < kBeatValues; ++k) sum = sum + load8(wave + k);
  const Eight mean = sum * eight(1.0f / kBeatValues);
  for (int k = 0; k < kBeatValues; ++k) {
    const Eight off = load8(wave + k) - mean;
    squares = squares + off * off;
  }
  for (int k = 0; k < kRowValues; ++k) row.values[k] = wave[k];
  for (int s = 0; s < kShifts; ++s) row.scale[s] = 1 / sqrtf(squares[s]);
  row.mean = mean[-kFirstShift];
}

// Finds the beats of a tile's blocks.
template <class Team>
BEATSCAN_TEAM void find_peaks(const Tile& tile, const LeadView& lead, const LocalMedians* medians, const float* levels,
                              std::uint32_t* counts, BeatRow* rows) {
  const Inside known = inside(tile, lead, kPeakReach);
  const std::int64_t first = kEdge - tile.origin(), last = lead.values() - kEdge - 1 - tile.origin();
  Team::each(0, tile.blocks, [&](int b) BEATSCAN_INLINED {
    const std::int64_t block = tile.first_block + b;
    const float least = kPeakShare * levels[block], floor = scales_of(medians[block / kGroupBlocks]).floor;
    std::uint32_t count = 0;
    const int begin = kMargin + b * kBlockValues;
    for (int i = begin; i < begin + kBlockValues; ++i) {
      if (!is_peak(tile.envelope, i, least, known.begin, known.end)) continue;
      const auto at = static_cast<int>(i < first ? first : i < last ? i : last);
      fill_row(tile.wave + at - kEdge, floor, rows[b * kMostBeats + count++]);
      i += kPeakReach;  // the next one is farther away
    }
    counts[b] = count;
  });
}

template <class Team>
BEATSCAN_TEAM void tile_beats(const Tile& tile, const LeadView& lead, const LocalMedians* medians, const float* levels,
                              const BeatTile& memory, std::uint32_t* counts, BeatRow* rows, Leakage* leakage) {
  compute_bands<Team>(tile, lead, kBeatsReach, false);
  prolong<Team>(tile.envelope, tile, lead, kPeakReach);
  find_peaks<Team>(tile, lead, medians, levels, counts, rows);
  measure_leakage<Team>(tile, medians, memory, leakage);
}

inline void check_window(const LeadView& lead, std::int64_t medians, std::int64_t levels, std::int64_t first,
                         std::int64_t counts, std::int64_t rows, std::int64_t leakage) {
  BEATSCAN_EXPECTS(lead.count > 0 && first >= 0 && first + counts <= lead.blocks && levels == lead.blocks &&
                       medians == median_groups(lead.blocks) && rows == counts * kMostBeats && leakage == counts,
                   "find_beats: bad shape");
}

}  // namespace beatscan::quality
