#include "kernels/windows/distances.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

namespace beatscan {
namespace {

using PooledRow = std::array<float, kPooledPoints>;

// Returns a row as means of points / kPooledPoints points each.
PooledRow pooled(std::span<const float> row) {
  const std::size_t width = row.size() / kPooledPoints;
  PooledRow means;
  for (std::size_t i = 0; i < means.size(); ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < width; ++j) sum += row[i * width + j];
    means[i] = sum / static_cast<float>(width);
  }
  return means;
}

// The references as columns: all of them at the first point, then at the second. The room behind them is infinitely far
// from any row.
struct References {
  std::vector<float> columns = std::vector<float>(kPooledPoints * kMostReferences,  // [kPooledPoints][kMostReferences]
                                                  std::numeric_limits<float>::infinity());

  References(std::span<const float> rows, std::int64_t points) {
    for (std::int64_t r = 0; r < std::ssize(rows) / points; ++r) {
      const PooledRow row = pooled(rows.subspan(r * points, points));
      for (int point = 0; point < kPooledPoints; ++point) columns[point * kMostReferences + r] = row[point];
    }
  }
};

// Finds the squared distance of a pooled row to each reference, and of these the one that `rank` others precede.
// Distances are not negative, so their bits as integers have the same order, and are found from the highest bit down:
// a bit is set if no more than `rank` distances are below the number with it.
struct RankedDistance {
  template <int W>
  BEATSCAN_INLINE static void run(const float* row, const float* columns, int rank, float* distance) {
    constexpr int kVectors = 8;
    alignas(64) float sums[kMostReferences];
    for (int r = 0; r < kMostReferences; r += kVectors * W) {
      Floats<W> sum[kVectors] = {};
      for (int point = 0; point < kPooledPoints; ++point)
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          const Floats<W> difference = row[point] - load<W>(columns + point * kMostReferences + r + v * W);
          sum[v] += difference * difference;
        }
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) store<W>(sums + r + v * W, sum[v]);
    }
    int found = 0;
    for (int bit = 1 << 30; bit > 0; bit >>= 1)
      if (below<W>(sums, found | bit) <= rank) found |= bit;
    *distance = __builtin_bit_cast(float, found);
  }

  template <int W>
  BEATSCAN_INLINE static int below(const float* sums, int limit) {
    static_assert(kMostReferences % (4 * W) == 0);
    Ints<W> counts[4] = {};
    for (int r = 0; r < kMostReferences; r += 4 * W)
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        const Floats<W> values = load<W>(sums + r + v * W);
        Ints<W> bits;
        __builtin_memcpy(&bits, &values, sizeof bits);
        counts[v] += bits < limit ? Ints<W>{} + 1 : Ints<W>{};  // GCC takes other uses of comparisons apart
      }
    const Ints<W> all = (counts[0] + counts[1]) + (counts[2] + counts[3]);
    int sum = 0;
#pragma GCC unroll 16
    for (int lane = 0; lane < W; ++lane) sum += all[lane];
    return sum;
  }
};

// Measures kMany rows from the median beat side by side. The square is that of the median.
struct ScaledDistances {
  static constexpr int kMany = 16;

  template <int W>
  BEATSCAN_INLINE static void run(const float* rows, std::span<const float> median, float square, float spread,
                                  SizeRange range, float* turned, float* distances) {
    const std::int64_t points = std::ssize(median);
    for (int first = 0; first < kMany; first += W) {
      for (std::int64_t j = 0; j < points; j += W) {
        Floats<W> block[W];
#pragma GCC unroll 16
        for (int b = 0; b < W; ++b) block[b] = load<W>(rows + (first + b) * points + j);
        transpose<W>(block);
#pragma GCC unroll 16
        for (int i = 0; i < W; ++i) store<W>(turned + (j + i) * W, block[i]);
      }
      Floats<W> product = {}, sum = {};
      for (std::int64_t j = 0; j < points; ++j) product += (median[j] + spread * load<W>(turned + j * W)) * median[j];
      const Floats<W> least = Floats<W>{} + range.low, most = Floats<W>{} + range.high;
      Floats<W> size = product / square;
      size = size < least ? least : most < size ? most : size;
      for (std::int64_t j = 0; j < points; ++j) {
        const Floats<W> difference = median[j] + spread * load<W>(turned + j * W) - size * median[j];
        sum += difference * difference;
      }
      store<W>(distances + first, sum / static_cast<float>(points));
    }
  }
};

// The same for one row.
float scaled_distance(std::span<const float> row, std::span<const float> median, float square, float spread,
                      SizeRange range) {
  float product = 0, sum = 0;
  for (std::size_t j = 0; j < row.size(); ++j) product += (median[j] + spread * row[j]) * median[j];
  const float size = std::clamp(product / square, range.low, range.high);
  for (std::size_t j = 0; j < row.size(); ++j) {
    const float difference = median[j] + spread * row[j] - size * median[j];
    sum += difference * difference;
  }
  return sum / static_cast<float>(row.size());
}

}  // namespace

void drop_far(Cpu&, std::span<const float> distances, double farthest, std::span<std::uint8_t> flags) {
  BEATSCAN_EXPECTS(distances.size() == flags.size(), "drop_far: bad shape");
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = flags[i] && distances[i] <= farthest;
}

void check_scaled_distances(std::int64_t rows, std::int64_t points, std::int64_t distances) {
  BEATSCAN_EXPECTS(points > 0 && rows == distances * points, "scaled_distances: bad shape");
}

void check_nearest_distances(std::int64_t rows, std::int64_t references, std::int64_t points, int rank,
                             std::int64_t distances) {
  BEATSCAN_EXPECTS(points > 0 && points % kPooledPoints == 0 && rows == distances * points,
                   "nearest_distances: bad shape");
  BEATSCAN_EXPECTS(
      references % points == 0 && references / points <= kMostReferences && 0 <= rank && rank < references / points,
      "nearest_distances: bad references or rank");
}

void scaled_distances(Cpu& cpu, std::span<const float> rows, std::span<const float> median, float spread,
                      SizeRange range, std::span<float> distances) {
  constexpr int kMany = ScaledDistances::kMany;
  const auto points = std::ssize(median);
  check_scaled_distances(std::ssize(rows), points, std::ssize(distances));
  float square = 0;
  for (const float value : median) square += value * value;
  parallel_for(cpu, std::ssize(distances), 256, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> turned(points * kMany);
    std::int64_t b = first;
    for (; b + kMany <= last && points % kMany == 0; b += kMany)
      OnProcessor<ScaledDistances>::run(&rows[b * points], median, square, spread, range, turned.data(), &distances[b]);
    for (; b < last; ++b)
      distances[b] = scaled_distance(rows.subspan(b * points, points), median, square, spread, range);
  });
}

void nearest_distances(Cpu& cpu, std::span<const float> rows, std::span<const float> references, std::int64_t points,
                       int rank, std::span<float> distances) {
  check_nearest_distances(std::ssize(rows), std::ssize(references), points, rank, std::ssize(distances));
  const References known(references, points);
  parallel_for(cpu, std::ssize(distances), 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const PooledRow row = pooled(rows.subspan(b * points, points));
      float distance;
      OnProcessor<RankedDistance>::run(row.data(), known.columns.data(), rank, &distance);
      distances[b] = distance / kPooledPoints;
    }
  });
}

}  // namespace beatscan
