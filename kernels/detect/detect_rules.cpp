#include "kernels/detect/detect_rules.h"

#include <cfloat>
#include <cmath>

#include "kernels/detect/detect.h"
#include "kernels/detect/median.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

constexpr int kNeighbours = 4;              // candidates on either side that are examined
constexpr double kAlone = -3, kMost = 1.5;  // ln h of a missing neighbour; limit of d

BEATSCAN_HOST_DEVICE inline double log_height(float height) { return log(height > 1e-6f ? height : 1e-6f); }

// Item i is a candidate.
struct DropBeats {
  const std::int64_t* at;
  const float* height;
  std::int64_t count;  // C
  const float* noise;
  std::int64_t blocks;
  int block;
  double second;
  const std::uint32_t* found;
  const std::int64_t* kept;
  std::int64_t kept_count;  // K
  const double* usual;
  std::uint32_t* beats;
  float* dropped;

  // Returns the reference RR of the gap between beats that the candidate lies in, or of the nearest gap.
  BEATSCAN_HOST_DEVICE double usual_around(std::int64_t i) const {
    std::int64_t gap = first_not_below(kept, kept_count, i + 1) - 1;
    gap = gap < 0 ? 0 : gap > kept_count - 2 ? kept_count - 2 : gap;
    return usual[2 * gap];
  }
  BEATSCAN_HOST_DEVICE double above_neighbours(std::int64_t i, double own, double within) const {
    double best = kAlone;
    for (std::int64_t j = i - kNeighbours; j <= i + kNeighbours; ++j) {
      if (j < 0 || j >= count || j == i) continue;
      const auto apart = static_cast<double>(j < i ? at[i] - at[j] : at[j] - at[i]);
      const double other = log_height(height[j]);
      if (apart <= within && other > best) best = other;
    }
    const double above = own - best;
    return above < -kMost ? -kMost : above > kMost ? kMost : above;
  }
  BEATSCAN_HOST_DEVICE bool stays(std::int64_t i) const {
    const std::int64_t its = at[i] / block;
    const double share = noise[its < blocks ? its : blocks - 1];
    if (!(share > 0)) return true;
    const double own = log_height(height[i]), rr = usual_around(i);
    const double near = 0.6 * rr < 0.8 * second ? 0.6 * rr : 0.8 * second,
                 far = 0.9 * rr < 1.2 * second ? 0.9 * rr : 1.2 * second;
    const double z = own + 0.75 * above_neighbours(i, own, near) + 0.9 * above_neighbours(i, own, far) + 0.65;
    return z > -(1 - share) / share;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    dropped[i] = 0;
    if ((found[i / 32] >> (i % 32) & 1) == 0) return;
    if (stays(i))
      set_bit(beats, i);
    else
      dropped[i] = height[i];
  }
};

}  // namespace

void beat_intervals(BackEnd& context, std::span<const std::int64_t> at, std::span<const std::int64_t> kept,
                    std::span<double> intervals, std::span<std::int64_t> indices) {
  BEATSCAN_EXPECTS(
      kept.size() == intervals.size() + 1 && indices.size() == intervals.size() && kept.size() <= at.size(),
      "beat_intervals: bad shape");
  each(context, std::ssize(intervals),
       [at = at.data(), kept = kept.data(), intervals = intervals.data(),
        indices = indices.data()] BEATSCAN_DEVICE(std::int64_t i) {
         intervals[i] = static_cast<double>(at[kept[i + 1]] - at[kept[i]]);
         indices[i] = i;
       });
}

void drop_beats(BackEnd& context, const DropInput& input, std::span<std::uint32_t> beats, std::span<float> dropped) {
  const auto& c = input.candidates;
  const std::int64_t count = std::ssize(c.at), kept = std::ssize(input.kept);
  BEATSCAN_EXPECTS(std::ssize(c.height) == count && std::ssize(dropped) == count && !input.noise.empty() &&
                       std::ssize(beats) == words_for(count) && input.found.size() == beats.size() && kept >= 2 &&
                       std::ssize(input.reference_rr) == 2 * (kept - 1) && input.block > 0,
                   "drop_beats: bad shape");
  zero_bytes(context, beats.data(), beats.size_bytes());
  each(context, count,
       DropBeats{c.at.data(), c.height.data(), count, input.noise.data(), std::ssize(input.noise), input.block,
                 input.second, input.found.data(), input.kept.data(), kept, input.reference_rr.data(), beats.data(),
                 dropped.data()});
}

// The parts of detect.h that handle one block, candidate or gap at a time.

namespace {

// The median of the positive ones among n values in ascending order; 0 if none is positive.
BEATSCAN_HOST_DEVICE inline double median_of_positive(const float* sorted, std::int64_t n) {
  const std::int64_t first = first_not_below(sorted, n, FLT_TRUE_MIN);  // the first positive one
  if (first == n) return 0;
  const std::int64_t positive = n - first;
  return 0.5 * (static_cast<double>(sorted[first + (positive - 1) / 2]) + sorted[first + positive / 2]);
}

// Item i is a block of the level.
struct Levels {
  const float* maxima;
  const float* sorted;
  std::int64_t blocks;
  LevelOptions options;
  float* levels;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    FewSorted<float> near;
    for (std::int64_t j = i - options.reach; j <= i + options.reach; ++j)
      if (j >= 0 && j < blocks && maxima[j] > 0) near.add(maxima[j]);
    const double typical = median_of_positive(sorted, blocks), largest = near.largest();
    double level = near.median();
    if (level < options.floor_local * typical) level = options.floor_local * typical;
    if (level < options.floor_peak * largest) level = options.floor_peak * largest;
    levels[i] = typical > 0 ? static_cast<float>(level) : 1;
  }
};

struct CandidateView {
  const std::int64_t* at;
  const float* height;
  const float* sharpness;
  explicit CandidateView(const Candidates& all)
      : at(all.at.data()), height(all.height.data()), sharpness(all.sharpness.data()) {}
};

// Item i is a candidate.
struct MarkBeats {
  CandidateView c;
  TWaveOptions options;
  std::uint32_t* beats;
  BEATSCAN_HOST_DEVICE bool is_t_wave_of(std::int64_t i, std::int64_t earlier) const {
    if (c.height[earlier] < options.keep) return false;
    const auto after = static_cast<double>(c.at[i] - c.at[earlier]);
    if (after <= options.soon_samples && c.height[i] < options.soon_height * c.height[earlier]) return true;
    return after <= options.late_samples && c.sharpness[i] < options.late_sharpness * c.sharpness[earlier] &&
           c.height[i] < options.late_height * c.height[earlier];
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    if (c.height[i] < options.keep) return;
    for (std::int64_t j = i - 1; j >= 0 && j >= i - 2; --j)
      if (is_t_wave_of(i, j)) return;
    set_bit(beats, i);
  }
};

// Item i is the gap between beat i and beat i + 1.
struct SearchBack {
  CandidateView c;
  const std::int64_t* kept;
  std::int64_t count;  // K
  SearchOptions options;
  std::uint32_t* beats;

  BEATSCAN_HOST_DEVICE std::int64_t interval(std::int64_t i) const { return c.at[kept[i + 1]] - c.at[kept[i]]; }
  BEATSCAN_HOST_DEVICE double median_interval(std::int64_t i) const {
    FewSorted<std::int64_t> near;
    for (std::int64_t j = i - options.reach; j <= i + options.reach; ++j)
      if (j >= 0 && j < count - 1) near.add(interval(j));
    return near.median();
  }
  BEATSCAN_HOST_DEVICE float sharpness(std::int64_t candidate) const {
    return c.sharpness[candidate] / c.height[candidate];
  }
  BEATSCAN_HOST_DEVICE double median_sharpness(std::int64_t i) const {
    FewSorted<float> near;
    for (std::int64_t j = i - options.reach; j <= i + options.reach; ++j)
      if (j >= 0 && j < count && c.height[kept[j]] > 0) near.add(sharpness(kept[j]));
    return near.median();
  }
  BEATSCAN_HOST_DEVICE bool is_searched(std::int64_t i, const SearchRule& rule, double median) const {
    return static_cast<double>(interval(i)) > rule.gap * median;
  }
  // Returns whether candidate j satisfies a rule in gap i.
  BEATSCAN_HOST_DEVICE bool keeps_to(const SearchRule& rule, std::int64_t i, std::int64_t j, double median) const {
    const auto since = static_cast<double>(c.at[j] - c.at[kept[i]]);
    const auto left = static_cast<double>(c.at[kept[i + 1]] - c.at[j]);
    return is_searched(i, rule, median) && c.height[j] > 0 && c.height[j] >= rule.height && since > rule.soonest &&
           since > rule.after * median && left > rule.before * median;
  }
  BEATSCAN_HOST_DEVICE bool is_sharp(std::int64_t j, double usual) const {
    const double own = sharpness(j);
    return own >= options.least_sharp * usual && own <= options.most_sharp * usual;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const double median = median_interval(i);
    const bool for_sharp = is_searched(i, options.sharp, median);
    if (!for_sharp && !is_searched(i, options.weak, median)) return;
    const double usual = for_sharp ? median_sharpness(i) : 0;
    std::int64_t found = -1;
    for (std::int64_t j = kept[i] + 1; j < kept[i + 1] && j <= kept[i] + options.candidates; ++j)
      if ((keeps_to(options.weak, i, j, median) || (keeps_to(options.sharp, i, j, median) && is_sharp(j, usual))) &&
          (found < 0 || c.height[j] > c.height[found]))
        found = j;
    if (found >= 0) set_bit(beats, found);
  }
};

void check_sets(const Candidates& candidates, std::span<std::uint32_t> beats) {
  BEATSCAN_EXPECTS(candidates.height.size() == candidates.at.size() &&
                       candidates.sharpness.size() == candidates.at.size() &&
                       std::ssize(beats) == words_for(std::ssize(candidates.at)),
                   "candidates: bad shape");
}

}  // namespace

void forget_missing(BackEnd& context, const Gaps& gaps, std::int64_t n, int block, std::span<float> maxima) {
  const std::int64_t blocks = std::ssize(maxima), count = std::ssize(gaps.firsts);
  check_maxima(n, block, blocks);
  if (count == 0) return;
  each(context, blocks,
       [=, firsts = gaps.firsts.data(), lasts = gaps.lasts.data(),
        maxima = maxima.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const detection::BlockRange range(i, blocks, block, n);
         const std::int64_t gap = first_not_below(lasts, count, range.last - 1);
         if (gap < count && firsts[gap] <= range.first) maxima[i] = 0;
       });
}

void local_levels(BackEnd& context, std::span<const float> maxima, const LevelOptions& options,
                  std::span<float> levels) {
  const std::int64_t blocks = std::ssize(levels);
  BEATSCAN_EXPECTS(blocks > 0 && maxima.size() == levels.size(), "local_levels: bad shape");
  BEATSCAN_EXPECTS(0 <= options.reach && options.reach <= kMaxReach, "local_levels: bad reach");
  const auto ascending = sorted(context, maxima);
  each(context, blocks, Levels{maxima.data(), ascending.data(), blocks, options, levels.data()});
}

void heights(BackEnd& context, const SignalPart& x, std::span<const float> levels, int block,
             std::span<const std::int64_t> candidates, std::span<float> heights) {
  const std::int64_t blocks = std::ssize(levels);
  BEATSCAN_EXPECTS(block > 0 && blocks == level_blocks(x.size, block) && candidates.size() == heights.size(),
                   "heights: bad shape");
  each(context, std::ssize(candidates),
       [=, part = stretch_of(x), x = x.values.data(), levels = levels.data(), candidates = candidates.data(),
        heights = heights.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t at = candidates[i], own = at / block;
         if (at >= part.first && at < part.last)
           heights[i] = x[at - part.first] / levels[own < blocks ? own : blocks - 1];
       });
}

void mark_beats(BackEnd& context, const Candidates& candidates, const TWaveOptions& options,
                std::span<std::uint32_t> beats) {
  check_sets(candidates, beats);
  zero_bytes(context, beats.data(), beats.size_bytes());
  each(context, std::ssize(candidates.at), MarkBeats{CandidateView(candidates), options, beats.data()});
}

void search_back(BackEnd& context, const Candidates& candidates, std::span<const std::int64_t> kept,
                 const SearchOptions& options, std::span<std::uint32_t> beats) {
  check_sets(candidates, beats);
  BEATSCAN_EXPECTS(0 <= options.reach && options.reach <= kMaxReach, "search_back: bad reach");
  const std::int64_t count = std::ssize(kept);
  each(context, count - 1, SearchBack{CandidateView(candidates), kept.data(), count, options, beats.data()});
}

}  // namespace beatscan
