#include "kernels/windows/centred_rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

RowFilter row_filter(double sigma) {
  constexpr double kReach = 3;  // sigmas: weights further out are at most about 1 % of the largest, and sum to 0.3 %
  RowFilter filter{.taps = 2 * std::max(static_cast<int>(std::ceil(kReach * sigma)), 1)};
  for (int phase = 0; phase <= kRowPhases; ++phase) {
    std::vector<double> weights(filter.taps);
    double sum = 0;
    for (int k = 0; k < filter.taps; ++k) {
      const double distance = (k - (filter.taps / 2 - 1) - static_cast<double>(phase) / kRowPhases) / sigma;
      sum += weights[k] = std::exp(-0.5 * distance * distance);
    }
    for (const double weight : weights) filter.weights.push_back(static_cast<float>(weight / sum));
  }
  return filter;
}

void check_block_means(std::int64_t n, std::int64_t width, std::int64_t means) {
  BEATSCAN_EXPECTS(n > 0 && width > 0 && means == (n + width - 1) / width, "block_means: bad shape");
}

void check_centred_rows(std::int64_t n, std::int64_t baseline, std::int64_t width, std::int64_t centres,
                        RowPlaces places, const RowFilter& filter, std::int64_t offset, std::int64_t points,
                        std::int64_t rows) {
  BEATSCAN_EXPECTS(n > 0 && width > 0 && baseline == (n + width - 1) / width, "centred_rows: bad baseline");
  BEATSCAN_EXPECTS(points > 0 && rows == centres * points && places.step > 0 && (offset == 0 || offset == points),
                   "centred_rows: rows are not [B][D]");
  BEATSCAN_EXPECTS(filter.taps > 0 && std::ssize(filter.weights) == (kRowPhases + 1) * filter.taps,
                   "centred_rows: bad filter");
}

void block_means(Cpu& cpu, std::span<const float> signal, std::int64_t width, std::span<float> means) {
  check_block_means(std::ssize(signal), width, std::ssize(means));
  parallel_for(cpu, std::ssize(means), 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto block = signal.subspan(i * width, std::min(width, std::ssize(signal) - i * width));
      // Differences to the first sample are summed, because a large offset would take away float32's digits.
      float sum = 0;
      for (const float value : block) sum += value - block[0];
      means[i] = block[0] + sum / static_cast<float>(block.size());
    }
  });
}

void centred_rows(Cpu& cpu, std::span<const float> signal, std::span<const float> baseline, std::int64_t width,
                  std::span<const double> centres, RowPlaces places, const RowFilter& filter, float factor,
                  std::span<const float> offset, std::int64_t points, std::span<float> rows) {
  check_centred_rows(std::ssize(signal), std::ssize(baseline), width, std::ssize(centres), places, filter,
                     std::ssize(offset), points, std::ssize(rows));
  const RowPoint<> point{signal.data(),
                         std::ssize(signal),
                         baseline.data(),
                         std::ssize(baseline),
                         static_cast<double>(width),
                         filter.weights.data(),
                         filter.taps,
                         filter.taps,
                         1};
  parallel_for(cpu, std::ssize(centres), 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const auto row = rows.subspan(b * points, points);
      const double start = centres[b] - places.before;
      const PointsInside inside(start, places.step, std::ssize(signal), points);
      float sum = 0, offset_sum = 0;
      for (std::int64_t j = inside.begin; j < inside.end; ++j) {
        sum += row[j] = point(start + static_cast<double>(j) * places.step);
        if (!offset.empty()) offset_sum += offset[j];
      }
      const float mean = sum / static_cast<float>(inside.count());
      // The offset's own mean over all points is kept, so it is subtracted only if some points are left out.
      const float offset_mean = inside.count() < points ? offset_sum / static_cast<float>(inside.count()) : 0;
      for (std::int64_t j = 0; j < points; ++j)
        row[j] = !inside.has(j) ? 0 : factor * (row[j] - mean) - (offset.empty() ? 0.0f : offset[j] - offset_mean);
    }
  });
}

}  // namespace beatscan
