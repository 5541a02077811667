#include "kernels/quality/acceptability.h"

#include <cmath>

#include "kernels/quality/eight.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {
namespace {

// The blocks of a window.
struct BlockRange {
  std::int64_t first, end;
};
BEATSCAN_HOST_DEVICE inline BlockRange blocks_of(std::int64_t window, std::int64_t windows, std::int64_t blocks) {
  return {window * kWindowBlocks, window + 1 == windows ? blocks : (window + 1) * kWindowBlocks};
}

BEATSCAN_HOST_DEVICE inline float median_of(float* values, int count) {
  sort_few(values, count);
  return (values[(count - 1) / 2] + values[count / 2]) * 0.5f;
}

BEATSCAN_HOST_DEVICE inline LeadWindow window_of(const float* features, const float* p, std::int64_t count) {
  LeadWindow sum{};
  float heights[2 * kWindowBlocks], muscles[2 * kWindowBlocks], highs[2 * kWindowBlocks];
  for (std::int64_t b = 0; b < count; ++b) {
    const float* row = features + b * kFeatures;
    sum.bad += 1 - p[b * kClasses + kGood];
    sum.noise += p[b * kClasses + kNoise];
    sum.lost += p[b * kClasses + kLost];
    sum.template_ += row[kTemplate];
    sum.baseline = larger(sum.baseline, row[kBaseline]);
    sum.slope = larger(sum.slope, row[kSlope]);
    heights[b] = row[kHeightMv], muscles[b] = row[kMuscle], highs[b] = row[kHigh];
  }
  const auto blocks = static_cast<float>(count);
  sum.bad /= blocks, sum.noise /= blocks, sum.lost /= blocks, sum.template_ /= blocks;
  sum.height = median_of(heights, static_cast<int>(count));
  sum.muscle = median_of(muscles, static_cast<int>(count));
  sum.high = median_of(highs, static_cast<int>(count));
  return sum;
}

// One window of all leads: `at` is that of the first lead, and the others follow `apart` elements from each other.
struct WindowOfLeads {
  const LeadWindow* at;
  std::int64_t leads, apart;

  BEATSCAN_HOST_DEVICE float of(std::int64_t lead, float LeadWindow::*field) const { return at[lead * apart].*field; }
  // Returns the value of a field that `rank` of the leads precede in ascending order.
  BEATSCAN_HOST_DEVICE float ranked(float LeadWindow::*field, std::int64_t rank) const {
    for (std::int64_t l = 0; l < leads; ++l) {
      const float own = of(l, field);
      std::int64_t before = 0;
      for (std::int64_t k = 0; k < leads; ++k) before += of(k, field) < own || (of(k, field) == own && k < l) ? 1 : 0;
      if (before == rank) return own;
    }
    return 0;
  }
  // Returns the largest, the second largest ..., of few leads the smallest one.
  BEATSCAN_HOST_DEVICE float largest(float LeadWindow::*field, std::int64_t place) const {
    return ranked(field, leads > place ? leads - place : 0);
  }
  BEATSCAN_HOST_DEVICE float median(float LeadWindow::*field) const {
    return (ranked(field, (leads - 1) / 2) + ranked(field, leads / 2)) * 0.5f;
  }
  BEATSCAN_HOST_DEVICE float mean(float LeadWindow::*field) const {
    float sum = 0;
    for (std::int64_t l = 0; l < leads; ++l) sum = sum + of(l, field);
    return sum / static_cast<float>(leads);
  }
  BEATSCAN_HOST_DEVICE float share_above_half(float LeadWindow::*field) const {
    std::int64_t count = 0;
    for (std::int64_t l = 0; l < leads; ++l) count += of(l, field) > 0.5f ? 1 : 0;
    return static_cast<float>(count) / static_cast<float>(leads);
  }
};

// Returns the largest mean over leads of 1 - P(good).
BEATSCAN_HOST_DEVICE inline float worst_block(const float* p, std::int64_t leads, std::int64_t blocks,
                                              const BlockRange& range) {
  float worst = 0;
  for (std::int64_t b = range.first; b < range.end; ++b) {
    float sum = 0;
    for (std::int64_t l = 0; l < leads; ++l) sum = sum + (1 - p[(l * blocks + b) * kClasses + kGood]);
    worst = larger(worst, sum / static_cast<float>(leads));
  }
  return worst;
}

BEATSCAN_HOST_DEVICE inline void fill_window(const WindowOfLeads& window, float worst, float* row) {
  using W = LeadWindow;
  constexpr float kLeast = 1e-30f;
  const float height = larger(window.median(&W::height), kLeast);
  const float all[] = {window.largest(&W::bad, 1),
                       window.largest(&W::bad, 2),
                       window.largest(&W::bad, 4),
                       window.median(&W::bad),
                       window.mean(&W::bad),
                       window.share_above_half(&W::bad),
                       window.largest(&W::lost, 1),
                       window.largest(&W::lost, 2),
                       window.share_above_half(&W::lost),
                       window.largest(&W::noise, 1),
                       window.largest(&W::noise, 2),
                       window.mean(&W::noise),
                       worst,
                       window.largest(&W::height, 1) / height,
                       window.ranked(&W::height, 0) / height,
                       window.largest(&W::baseline, 1),
                       window.largest(&W::baseline, 2),
                       window.largest(&W::baseline, 4),
                       window.largest(&W::muscle, 2),
                       window.largest(&W::high, 2),
                       window.ranked(&W::template_, window.leads > 1 ? 1 : 0),
                       window.largest(&W::slope, 1)};
  for (int i = 0; i < kWindowWidth; ++i) row[i] = all[i];
}

}  // namespace

void lead_windows(BackEnd& on, std::span<const float> features, std::span<const float> probabilities,
                  std::span<LeadWindow> windows) {
  const auto count = static_cast<std::int64_t>(windows.size());
  const auto blocks = static_cast<std::int64_t>(probabilities.size()) / kClasses;
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(features.size()) == blocks * kFeatures && count == window_count(blocks),
                   "lead_windows: bad shape");
  each(
      on, count,
      [features = features.data(), p = probabilities.data(), windows = windows.data(), count,
       blocks] BEATSCAN_DEVICE(std::int64_t i) {
        const BlockRange range = blocks_of(i, count, blocks);
        windows[i] = window_of(features + range.first * kFeatures, p + range.first * kClasses, range.end - range.first);
      },
      512);
}

void window_acceptability(BackEnd& on, const Forest<BackEnd>& forest, std::span<const float> probabilities,
                          std::span<const LeadWindow> windows, std::int64_t leads, std::span<float> acceptable) {
  const auto count = static_cast<std::int64_t>(acceptable.size());
  const auto blocks = static_cast<std::int64_t>(probabilities.size()) / (kClasses * leads);
  BEATSCAN_EXPECTS(leads > 0 && static_cast<std::int64_t>(windows.size()) == leads * count && forest.classes == 1 &&
                       forest.depth >= 1 && forest.depth <= kMostDepth && count == window_count(blocks),
                   "window_acceptability: bad shape");
  each(
      on, count,
      [view = view_of(forest), p = probabilities.data(), windows = windows.data(), acceptable = acceptable.data(),
       leads, count, blocks] BEATSCAN_DEVICE(std::int64_t i) {
        float row[kWindowWidth];
        fill_window({windows + i, leads, count}, worst_block(p, leads, blocks, blocks_of(i, count, blocks)), row);
        acceptable[i] = static_cast<float>(1 / (1 + exp(-static_cast<double>(view.score(row, 0)))));
      },
      64);
}

}  // namespace beatscan::quality
