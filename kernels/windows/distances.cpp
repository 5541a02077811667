#include "kernels/windows/distances.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/runtime/each_width.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// Returns rows as means of points / kPooledPoints points each.
//   returns [n][kPooledPoints]
std::vector<float> pooled(std::span<const float> rows, std::int64_t points) {
  const std::int64_t width = points / kPooledPoints;
  std::vector<float> means(rows.size() / width);
  for (std::size_t i = 0; i < means.size(); ++i) {
    float sum = 0;
    for (std::int64_t j = 0; j < width; ++j) sum += rows[i * width + j];
    means[i] = sum / static_cast<float>(width);
  }
  return means;
}

// sums[r] = squared distance of a pooled row to reference r. The function is compiled once for each vector width.
//   transposed  [kPooledPoints][kMostReferences]
BEATSCAN_EACH_WIDTH("default", "avx2", "avx512f")
void squared_distances(const float* row, const float* transposed, float* sums) {
  std::fill_n(sums, kMostReferences, 0.0f);
  for (int point = 0; point < kPooledPoints; ++point)
    for (int r = 0; r < kMostReferences; ++r) {
      const float difference = row[point] - transposed[point * kMostReferences + r];
      sums[r] += difference * difference;
    }
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
  const auto points = std::ssize(median);
  check_scaled_distances(std::ssize(rows), points, std::ssize(distances));
  parallel_for(cpu, std::ssize(distances), 256, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const float* row = rows.data() + b * points;
      float product = 0, square = 0, sum = 0;
      for (std::int64_t j = 0; j < points; ++j) {
        product += (median[j] + spread * row[j]) * median[j];
        square += median[j] * median[j];
      }
      const float size = std::clamp(product / square, range.low, range.high);
      for (std::int64_t j = 0; j < points; ++j) {
        const float difference = median[j] + spread * row[j] - size * median[j];
        sum += difference * difference;
      }
      distances[b] = sum / static_cast<float>(points);
    }
  });
}

void nearest_distances(Cpu& cpu, std::span<const float> rows, std::span<const float> references, std::int64_t points,
                       int rank, std::span<float> distances) {
  check_nearest_distances(std::ssize(rows), std::ssize(references), points, rank, std::ssize(distances));
  const auto pooled_references = pooled(references, points);
  const int count = static_cast<int>(std::ssize(references) / points);
  std::vector<float> transposed(kPooledPoints * kMostReferences);
  for (int r = 0; r < count; ++r)
    for (int point = 0; point < kPooledPoints; ++point)
      transposed[point * kMostReferences + r] = pooled_references[r * kPooledPoints + point];
  parallel_for(cpu, std::ssize(distances), 64, [&](std::int64_t first, std::int64_t last) {
    std::array<float, kMostReferences> sums;
    for (std::int64_t b = first; b < last; ++b) {
      const auto row = pooled(rows.subspan(b * points, points), points);
      squared_distances(row.data(), transposed.data(), sums.data());
      std::nth_element(sums.begin(), sums.begin() + rank, sums.begin() + count);
      distances[b] = sums[rank] / kPooledPoints;
    }
  });
}

}  // namespace beatscan
