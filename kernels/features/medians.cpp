#include "kernels/features/medians.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

namespace beatscan::features {
namespace {

constexpr std::int64_t kFewWindows = 64;

// The value whose rank is in the middle, for W places in parallel. Of equal values the first has the lower rank.
struct MedianOfFew {
  template <int W>
  BEATSCAN_INLINE static void run(const float* windows, std::int64_t count, float* median) {
    static_assert(kValues >= W);
    for (int k = 0; k < kValues; k += W) {
      const int place = std::min(k, kValues - W);
      const auto at = [=](std::int64_t window) { return load<W>(windows + window * kValues + place); };
      const Ints<W> middle = Ints<W>{} + static_cast<int>(count / 2);
      Floats<W> found = {};
      for (std::int64_t w = 0; w < count; ++w) {
        const Floats<W> own = at(w);
        Ints<W> rank = {};  // comparisons give -1
        for (std::int64_t v = 0; v < w; ++v) rank -= at(v) <= own;
        for (std::int64_t v = w + 1; v < count; ++v) rank -= at(v) < own;
        found = rank == middle ? own : found;
      }
      store<W>(median + place, found);
    }
  }
};

void median_of_few(std::span<const float> windows, float* median) {
  OnProcessor<MedianOfFew>::run(windows.data(), std::ssize(windows) / kValues, median);
}

}  // namespace

std::vector<float> median_window(Cpu& cpu, std::span<const float> windows) {
  const std::int64_t count = std::ssize(windows) / kValues;
  BEATSCAN_EXPECTS(count > 0 && std::ssize(windows) % kValues == 0, "median_window: bad shape");
  std::vector<float> median(kValues);
  if (count <= kFewWindows) {
    median_of_few(windows, median.data());
    return median;
  }
  parallel_for(cpu, kValues, 16, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> column(count);
    for (std::int64_t k = first; k < last; ++k) {
      for (std::int64_t w = 0; w < count; ++w) column[w] = windows[w * kValues + k];
      std::ranges::nth_element(column, column.begin() + count / 2);
      median[k] = column[count / 2];
    }
  });
  return median;
}

void median_window(Cpu& cpu, std::span<const float> windows, std::span<const std::uint8_t> chosen,
                   std::span<float> median) {
  BEATSCAN_EXPECTS(median.size() == kValues && windows.size() % kValues == 0 &&
                       (chosen.empty() || chosen.size() * kValues == windows.size()),
                   "median_window: bad shape");
  std::vector<float> some;
  for (std::size_t w = 0; w < chosen.size(); ++w)
    if (chosen[w]) some.insert(some.end(), &windows[w * kValues], &windows[w * kValues] + kValues);
  const auto of = chosen.empty() ? windows : std::span<const float>(some);
  std::ranges::copy(
      of.empty() ? std::vector<float>(kValues, std::numeric_limits<float>::quiet_NaN()) : median_window(cpu, of),
      median.data());
}

void measure_medians(Cpu& cpu, std::span<const float> measures, std::span<const std::int64_t> beats,
                     std::span<double> medians) {
  BEATSCAN_EXPECTS(medians.size() == kShapeMeasures && std::ssize(beats) <= kMostRows, "measure_medians: bad shape");
  parallel_each(cpu, kShapeMeasures, [&](std::int64_t m) {
    std::vector<double> values;
    for (const std::int64_t i : beats)
      if (const float value = measures[i * kShapeMeasures + m]; std::isfinite(value)) values.push_back(value);
    if (values.empty()) {
      medians[m] = 0;
      return;
    }
    const auto below = values.begin() + (std::ssize(values) - 1) / 2;
    std::nth_element(values.begin(), below, values.end());
    const double above = values.size() % 2 == 0 ? *std::min_element(below + 1, values.end()) : *below;
    medians[m] = interpolate(*below, above, values.size() % 2 == 0 ? 0.5 : 0);
  });
}

void local_beats(Cpu& cpu, const ShapeRange& range, std::span<const std::uint8_t> fit, std::span<float> local) {
  const std::int64_t windows = std::ssize(fit);
  parallel_for(cpu, std::ssize(local) / kValues, 4, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> chosen;
    for (std::int64_t b = first; b < last; ++b) {
      const LocalWindows near = local_windows(range.skip, range.beats, windows, b);
      const bool all = std::count(fit.begin() + near.first, fit.begin() + near.last, 1) < kFewestFit;
      chosen.clear();
      for (std::int64_t w = near.first; w < near.last; ++w) {
        const auto window = range.windows.subspan(w * kValues, kValues);
        if (all || fit[w]) chosen.insert(chosen.end(), window.begin(), window.end());
      }
      median_of_few(chosen, local.data() + b * kValues);
    }
  });
}

}  // namespace beatscan::features
