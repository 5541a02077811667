#include "kernels/waves/local_averages.h"

#include <array>
#include <cmath>
#include <limits>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"
#include "kernels/waves/medians.h"

namespace beatscan::waves {
namespace {

using Rows = std::array<const float*, kNeighbours>;

constexpr std::array<float, kValues> filled(float value) {
  std::array<float, kValues> row{};
  row.fill(value);
  return row;
}
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::array<float, kValues> kLowest = filled(-kInfinity), kHighest = filled(kInfinity);

struct MedianOfRows {
  template <int W>
  BEATSCAN_INLINE static void run(const float* const* rows, bool even, float* median) {
    for (int k = 0; k < kValues; k += W) {
      Floats<W> values[kNeighbours];
#pragma GCC unroll 17
      for (int j = 0; j < kNeighbours; ++j) values[j] = load<W>(rows[j] + k);
      select_middle(values);
      const Floats<W> upper = values[kAverageReach], lower = values[kAverageReach - 1];
      store<W>(median + k, even ? (lower + upper) * 0.5f : upper);
    }
  }
};

Neighbours neighbours_of(std::span<const std::int32_t> labels, std::int64_t i) {
  Neighbours found{};
  if (labels[i] < 0) return found;
  for (int j = 0; j < kNeighbours; ++j) {
    const std::int64_t beat = i + j - kAverageReach;
    if (beat < 0 || beat >= std::ssize(labels) || labels[beat] != labels[i]) continue;
    found.members |= 1u << j;
    ++found.count;
  }
  return found;
}

void average(std::span<const float> windows, std::int64_t i, const Neighbours& neighbours, float* found) {
  Rows rows;
  int unused = 0;
  for (int j = 0; j < kNeighbours; ++j) {
    if (neighbours.members >> j & 1)
      rows[j] = windows.data() + (i + j - kAverageReach) * kValues;
    else
      rows[j] = unused++ < neighbours.places_below() ? kLowest.data() : kHighest.data();
  }
  OnProcessor<MedianOfRows>::run(rows.data(), neighbours.even(), found);
}

float height_of(const float* average) {
  float height = kMinHeight;
  for (int k = kRValue - kHeightReach; k <= kRValue + kHeightReach; ++k)
    height = std::max(height, std::abs(average[k]));
  return height;
}

}  // namespace

void local_averages(Cpu& cpu, std::span<const float> windows, std::span<const std::int32_t> labels, std::int64_t skip,
                    std::span<float> averages, std::span<float> heights) {
  const std::int64_t beats = std::ssize(heights);
  check_local_averages(std::ssize(windows), std::ssize(labels), skip, std::ssize(averages), beats);
  parallel_for(cpu, beats, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const Neighbours neighbours = neighbours_of(labels, skip + b);
      float* found = averages.data() + b * kValues;
      if (neighbours.enough())
        average(windows, skip + b, neighbours, found);
      else
        std::copy_n(windows.data() + (skip + b) * kValues, kValues, found);
      take_off_median(found);
      heights[b] = height_of(found);
    }
  });
}

std::int64_t check_local_averages(std::int64_t windows, std::int64_t labels, std::int64_t skip, std::int64_t averages,
                                  std::int64_t heights) {
  BEATSCAN_EXPECTS(
      windows == labels * kValues && averages == heights * kValues && skip >= 0 && skip + heights <= labels,
      "local_averages: bad shape");
  return labels;
}

}  // namespace beatscan::waves
