#include "kernels/windows/centred_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

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

namespace {

using Four = Floats<4>;

// Returns whether the points of a row read only samples within the recording, and lie between centres of blocks.
bool are_inner_points(const RowPoint<>& at, double start, double step, const PointsInside& inside) {
  if (inside.count() == 0 || at.n > std::numeric_limits<int>::max()) return false;
  const double first = start + static_cast<double>(inside.begin) * step,
               last = start + static_cast<double>(inside.end - 1) * step;
  return first - at.any_taps > 0 && last + at.any_taps < static_cast<double>(at.n - 1) && first > at.width &&
         last + 2 * at.width < static_cast<double>(at.n);
}

// Computes what RowPoint does, for points as above: first the places of many points, then their weighted sums, four
// points at a time.
struct InnerPoints {
  static constexpr int kMany = 64;

  struct Places {
    int sample[kMany], phase[kMany], block[kMany];
    float share[kMany];  // of the way to the next block's centre
  };

  template <int W>
  BEATSCAN_INLINE static void run(const RowPoint<>* at, double start, double step, PointsInside inside, float* row) {
    Places places;
    for (auto first = static_cast<int>(inside.begin); first < inside.end; first += kMany) {
      const int count = std::min(kMany, static_cast<int>(inside.end) - first);
      const double width = at->width;
      for (int i = 0; i < kMany; ++i) {
        const double p = start + static_cast<double>(first + i) * step, whole = std::floor(p);
        const double q = (p + 0.5) / width - 0.5, block = std::floor(q);
        places.sample[i] = static_cast<int>(whole);
        places.phase[i] = static_cast<int>((p - whole) * kRowPhases + 0.5);
        places.block[i] = static_cast<int>(block);
        places.share[i] = static_cast<float>(q - block);
      }
      int i = 0;
      for (; i + 4 <= count; i += 4) store<4>(row + first + i, four(*at, places, i));
      for (; i < count; ++i) row[first + i] = (*at)(start + static_cast<double>(first + i) * step);
    }
  }

  BEATSCAN_INLINE static Four four(const RowPoint<>& at, const Places& places, int i) {
    const float *weights[4], *samples[4];
    Four low, high, sum = {};
    for (int l = 0; l < 4; ++l) {
      weights[l] = at.weights + places.phase[i + l] * at.any_taps;
      samples[l] = at.signal + (places.sample[i + l] - (at.any_taps / 2 - 1));
      low[l] = at.baseline[places.block[i + l]];
      high[l] = at.baseline[places.block[i + l] + 1];
    }
    int k = 0;
    for (; k + 4 <= at.any_taps; k += 4) {
      Four products[4];
      for (int l = 0; l < 4; ++l) products[l] = load<4>(weights[l] + k) * load<4>(samples[l] + k);
      transpose<4>(products);
      for (const Four& of_tap : products) sum += of_tap;
    }
    for (; k < at.any_taps; ++k)
      for (int l = 0; l < 4; ++l) sum[l] += weights[l][k] * samples[l][k];
    return sum - (low + load<4>(places.share + i) * (high - low));
  }
};

// Subtracts the mean and the offset from a row's points; other points become 0.
void centre(std::span<float> row, const PointsInside& inside, float factor, std::span<const float> offset) {
  float sum = 0, offset_sum = 0;
  for (std::int64_t j = inside.begin; j < inside.end; ++j) sum += row[j];
  for (std::int64_t j = inside.begin; j < inside.end && !offset.empty(); ++j) offset_sum += offset[j];
  const float mean = sum / static_cast<float>(inside.count());
  // The offset's own mean over all points is kept, so it is subtracted only if some points are left out.
  const float offset_mean = inside.count() < std::ssize(row) ? offset_sum / static_cast<float>(inside.count()) : 0;
  std::fill(row.begin(), row.begin() + inside.begin, 0.0f);
  std::fill(row.begin() + inside.end, row.end(), 0.0f);
  for (std::int64_t j = inside.begin; j < inside.end; ++j) row[j] = factor * (row[j] - mean);
  for (std::int64_t j = inside.begin; j < inside.end && !offset.empty(); ++j) row[j] -= offset[j] - offset_mean;
}

}  // namespace

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
      if (are_inner_points(point, start, places.step, inside)) {
        OnProcessor<InnerPoints>::run(&point, start, places.step, inside, row.data());
      } else {
        for (std::int64_t j = inside.begin; j < inside.end; ++j)
          row[j] = point(start + static_cast<double>(j) * places.step);
      }
      centre(row, inside, factor, offset);
    }
  });
}

}  // namespace beatscan
