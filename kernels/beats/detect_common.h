// kernels/beats/detect_common.h — what one thread does, for both back ends.
#pragma once

#include <cfloat>
#include <cmath>

#include "kernels/beats/detect.h"
#include "kernels/runtime/each.h"

namespace beatscan::detection {

// The middle of up to 2 * kMaxReach + 1 values, kept in order as they come; of an even number the mean of the two.
template <class T>
class Median {
 public:
  BEATSCAN_HOST_DEVICE void add(T value) {
    int place = size_++;
    for (; place > 0 && sorted_[place - 1] > value; --place) sorted_[place] = sorted_[place - 1];
    sorted_[place] = value;
  }
  BEATSCAN_HOST_DEVICE double value() const {
    return 0.5 * (static_cast<double>(sorted_[(size_ - 1) / 2]) + static_cast<double>(sorted_[size_ / 2]));
  }

 private:
  T sorted_[2 * kMaxReach + 1];
  int size_ = 0;
};

// The samples [first, last) of block i of n samples cut as local_levels does.
struct BlockRange {
  std::int64_t first, last;
  BEATSCAN_HOST_DEVICE BlockRange(std::int64_t i, std::int64_t blocks, int block, std::int64_t n)
      : first(i * block), last(i + 1 < blocks ? (i + 1) * block : n) {}
};

// The median of the positive ones of maxima that are sorted in ascending order; 0 where there is none.
BEATSCAN_HOST_DEVICE inline double median_of_positive(const float* sorted, std::int64_t n) {
  const std::int64_t first = first_not_below(sorted, n, FLT_TRUE_MIN);  // the first positive one
  if (first == n) return 0;
  const std::int64_t positive = n - first;
  return 0.5 * (static_cast<double>(sorted[first + (positive - 1) / 2]) + sorted[first + positive / 2]);
}

// One thread a block of the level.
struct ForgetMissing {
  const std::int64_t *firsts, *lasts;
  std::int64_t gaps, n;
  int block;
  std::int64_t blocks;
  float* maxima;
  ForgetMissing(const Gaps& all, std::int64_t samples, int block_samples, std::span<float> out)
      : firsts(all.firsts.data()),
        lasts(all.lasts.data()),
        gaps(static_cast<std::int64_t>(all.firsts.size())),
        n(samples),
        block(block_samples),
        blocks(static_cast<std::int64_t>(out.size())),
        maxima(out.data()) {}
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const BlockRange range(i, blocks, block, n);
    const std::int64_t gap = first_not_below(lasts, gaps, range.last - 1);
    if (gap < gaps && firsts[gap] <= range.first) maxima[i] = 0;
  }
};

struct Levels {
  const float* maxima;
  const float* sorted;
  std::int64_t blocks;
  LevelOptions options;
  float* levels;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    Median<float> median;
    float largest = 0;
    for (std::int64_t j = i - options.reach; j <= i + options.reach; ++j)
      if (j >= 0 && j < blocks) {
        median.add(maxima[j]);
        largest = maxima[j] > largest ? maxima[j] : largest;
      }
    const double typical = median_of_positive(sorted, blocks);
    double level = median.value();
    if (level < options.floor_local * typical) level = options.floor_local * typical;
    if (level < options.floor_peak * largest) level = options.floor_peak * largest;
    levels[i] = typical > 0 ? static_cast<float>(level) : 1;
  }
};

// A peak of the samples around it, and of the radius. Most samples fail at their neighbours.
BEATSCAN_HOST_DEVICE inline bool is_candidate(const float* x, std::int64_t n, std::int64_t i, int radius, int edge) {
  if (i < edge || i >= n - edge || !(x[i] > 0)) return false;
  for (std::int64_t d = 1; d <= radius; ++d) {
    if (i - d >= 0 && x[i - d] >= x[i]) return false;
    if (i + d < n && x[i + d] > x[i]) return false;
  }
  return true;
}

struct Heights {
  const float* x;
  Stretch part;  // that x is
  const float* levels;
  std::int64_t blocks;
  int block;
  const std::int64_t* candidates;
  float* out;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t at = candidates[i], own = at / block;
    if (at >= part.first && at < part.last) out[i] = x[at - part.first] / levels[own < blocks ? own : blocks - 1];
  }
};

struct CandidateView {
  const std::int64_t* at;
  const float* height;
  const float* sharpness;
  std::int64_t count;
};

// One thread a candidate.
struct MarkBeats {
  CandidateView c;
  TWaveOptions options;
  std::uint32_t* beats;
  BEATSCAN_HOST_DEVICE bool is_t_wave_of(std::int64_t i, std::int64_t earlier) const {
    if (c.height[earlier] < options.keep) return false;
    const auto after = static_cast<double>(c.at[i] - c.at[earlier]);
    if (after <= options.soon_s && c.height[i] < options.soon_height * c.height[earlier]) return true;
    return after <= options.late_s && c.sharpness[i] < options.late_sharpness * c.sharpness[earlier] &&
           c.height[i] < options.late_height * c.height[earlier];
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    if (c.height[i] < options.keep) return;
    for (std::int64_t j = i - 1; j >= 0 && j >= i - 2; --j)
      if (is_t_wave_of(i, j)) return;
    set_bit(beats, i);
  }
};

// One thread a gap, between beat i and i + 1.
struct SearchBack {
  CandidateView c;
  const std::int64_t* kept;
  std::int64_t count;  // K
  SearchOptions options;
  std::uint32_t* beats;

  BEATSCAN_HOST_DEVICE std::int64_t interval(std::int64_t i) const { return c.at[kept[i + 1]] - c.at[kept[i]]; }
  BEATSCAN_HOST_DEVICE double median_interval(std::int64_t i) const {
    Median<std::int64_t> median;
    for (std::int64_t j = i - options.reach; j <= i + options.reach; ++j)
      if (j >= 0 && j < count - 1) median.add(interval(j));
    return median.value();
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const double median = median_interval(i);
    if (static_cast<double>(interval(i)) <= options.gap * median) return;
    const double after = options.after * median > options.soonest ? options.after * median : options.soonest;
    std::int64_t found = -1;
    for (std::int64_t j = kept[i] + 1; j < kept[i + 1] && j <= kept[i] + options.candidates; ++j)
      if (c.height[j] >= options.height && static_cast<double>(c.at[j] - c.at[kept[i]]) > after &&
          static_cast<double>(c.at[kept[i + 1]] - c.at[j]) > options.before * median &&
          (found < 0 || c.height[j] > c.height[found]))
        found = j;
    if (found >= 0) set_bit(beats, found);
  }
};

inline CandidateView view(const Candidates& c) {
  return {c.at.data(), c.height.data(), c.sharpness.data(), static_cast<std::int64_t>(c.at.size())};
}

}  // namespace beatscan::detection
