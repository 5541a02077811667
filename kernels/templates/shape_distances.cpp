#include "kernels/templates/shape_distances.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "kernels/lists/bits.h"
#include "kernels/runtime/each_width.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/rounded.h"

namespace beatscan {

namespace {

// products[k] = the product of a shape and shape k of several. The function is compiled once for each vector width.
BEATSCAN_EACH_WIDTH("default", "avx2")
void products_with(const std::int16_t* shape, const std::int16_t* several, std::int64_t count, std::int64_t width,
                   std::int64_t* products) {
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t sum = 0;
    for (std::int64_t lead = 0; lead < width; lead += kShapePoints) {
      const std::int16_t *a = shape + lead, *b = several + k * width + lead;
      std::int32_t product = 0;
      for (int p = 0; p < kShapePoints; ++p) product += a[p] * b[p];
      sum += product;
    }
    products[k] = sum;
  }
}

// Tests whether the distance of two shapes is below a radius. The root of the distance lies between the smaller of both
// squares and their mean, which mostly decides without root and quotient. Roundings are far below the margin.
struct NearTest {
  static constexpr double kMargin = 1e-6;
  std::span<const std::int64_t> squares;
  double floor;
  float radius;

  bool operator()(std::int64_t i, std::int64_t j, std::int64_t product) const {
    const std::int64_t a = squares[i], b = squares[j];
    const auto apart = static_cast<double>(a + b - 2 * product), smaller = static_cast<double>(std::min(a, b)),
               mean = 0.5 * static_cast<double>(a + b);
    if (apart < (1 - kMargin) * radius * (smaller + floor)) return true;
    if (apart > (1 + kMargin) * radius * (mean + floor)) return false;
    return distance_of_squares(a, b, product, floor) < radius;
  }
};

bool fits(const ShapeList& shapes, std::int64_t width) {
  return width > 0 && width % kShapePoints == 0 && std::ssize(shapes.values) == std::ssize(shapes.squares) * width;
}

}  // namespace

void nearest_shapes(Cpu& cpu, ShapeList shapes, ShapeList centres, std::int64_t width, double floor,
                    std::span<std::uint8_t> nearest, std::span<float> distances) {
  check_nearest_shapes(shapes, centres, width, std::ssize(nearest), std::ssize(distances));
  const std::int64_t count = std::ssize(centres.squares);
  parallel_for(cpu, std::ssize(nearest), 64, [&](std::int64_t first, std::int64_t last) {
    std::int64_t products[kMostCentres];
    float from[kMostCentres];
    for (std::int64_t b = first; b < last; ++b) {
      products_with(&shapes.values[b * width], centres.values.data(), count, width, products);
      for (std::int64_t k = 0; k < count; ++k)
        from[k] = distance_of_squares(shapes.squares[b], centres.squares[k], products[k], floor);
      nearest[b] = static_cast<std::uint8_t>(std::min_element(from, from + count) - from);
      distances[b] = from[nearest[b]];
    }
  });
}

void shape_neighbours(Cpu& cpu, ShapeList shapes, std::int64_t width, double floor, float radius,
                      std::span<std::uint32_t> neighbours) {
  check_shape_neighbours(shapes, width, std::ssize(neighbours));
  const std::int64_t count = std::ssize(shapes.squares), words = words_for(count);
  std::ranges::fill(neighbours, 0);
  const NearTest is_near{shapes.squares, floor, radius};
  parallel_for(cpu, count, 8, [&](std::int64_t first, std::int64_t last) {
    std::int64_t products[kMostSampleShapes];
    for (std::int64_t i = first; i < last; ++i) {
      products_with(&shapes.values[i * width], shapes.values.data(), count, width, products);
      for (std::int64_t j = 0; j < count; ++j)
        neighbours[i * words + j / 32] |= std::uint32_t{is_near(i, j, products[j])} << j % 32;
    }
  });
}

float shape_distance(std::span<const std::int16_t> a, std::span<const std::int16_t> b, double floor) {
  BEATSCAN_EXPECTS(a.size() == b.size(), "shape_distance: bad shape");
  std::int64_t square_a = 0, square_b = 0, product = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    square_a += a[i] * a[i];
    square_b += b[i] * b[i];
    product += a[i] * b[i];
  }
  return distance_of_squares(square_a, square_b, product, floor);
}

void check_nearest_shapes(const ShapeList& shapes, const ShapeList& centres, std::int64_t width, std::int64_t nearest,
                          std::int64_t distances) {
  const std::int64_t count = std::ssize(centres.squares);
  BEATSCAN_EXPECTS(fits(shapes, width) && fits(centres, width) && 1 <= count && count <= kMostCentres &&
                       std::ssize(shapes.squares) == nearest && nearest == distances,
                   "nearest_shapes: bad shape");
}

void check_shape_neighbours(const ShapeList& shapes, std::int64_t width, std::int64_t neighbours) {
  const std::int64_t count = std::ssize(shapes.squares);
  BEATSCAN_EXPECTS(fits(shapes, width) && count <= kMostSampleShapes && neighbours == count * words_for(count),
                   "shape_neighbours: bad shape");
}

namespace {

void add_to(std::int64_t& sum, std::int64_t value) {
  if (value != 0) std::atomic_ref(sum).fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

template <class T>
void group_sums(Cpu& cpu, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts) {
  const std::int64_t width =
      check_group_sums(std::ssize(rows), std::ssize(groups), std::ssize(sums), std::ssize(counts));
  std::ranges::fill(sums, 0);
  std::ranges::fill(counts, 0);
  parallel_for(cpu, std::ssize(groups), 1024, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> part(sums.size()), part_counts(counts.size());
    for (std::int64_t b = first; b < last; ++b) {
      const std::int64_t group = groups[b];
      if (group >= std::ssize(counts)) continue;
      ++part_counts[group];
      for (std::int64_t j = 0; j < width; ++j) part[group * width + j] += sum_value(rows[b * width + j]);
    }
    for (std::size_t i = 0; i < part.size(); ++i) add_to(sums[i], part[i]);
    for (std::size_t k = 0; k < part_counts.size(); ++k) add_to(counts[k], part_counts[k]);
  });
}
template void group_sums(Cpu&, std::span<const std::int16_t>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);
template void group_sums(Cpu&, std::span<const float>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);

std::int64_t check_group_sums(std::int64_t rows, std::int64_t groups, std::int64_t sums, std::int64_t counts) {
  BEATSCAN_EXPECTS(
      1 <= counts && counts <= kMostGroups && sums > 0 && sums % counts == 0 && rows == groups * (sums / counts),
      "group_sums: bad shape");
  return sums / counts;
}

namespace {

// Returns the slope at point j of a row: the sum of its values there times the taps.
double slope_at(const float* row, WidthRange range, const double* taps, std::int64_t tap_count, std::int64_t j) {
  double sum = 0;
  for (std::int64_t k = 0; k < tap_count; ++k) {
    std::int64_t place = j + k - (tap_count - 1) / 2;
    place = place < 0 ? 0 : place < range.points ? place : range.points - 1;
    sum = plus_product(sum, taps[k], static_cast<double>(row[place]));
  }
  return sum;
}

bool is_range(WidthRange range) {
  return range.points > 0 && 0 <= range.first && range.first < range.last && range.last <= range.points;
}

}  // namespace

std::vector<double> slopes_of(std::span<const float> row, WidthRange range, std::span<const double> taps) {
  BEATSCAN_EXPECTS(is_range(range) && std::ssize(row) == range.points && taps.size() % 2 == 1, "slopes_of: bad shape");
  std::vector<double> slopes;
  for (std::int64_t j = range.first; j < range.last; ++j)
    slopes.push_back(slope_at(row.data(), range, taps.data(), std::ssize(taps), j));
  return slopes;
}

std::vector<double> slope_taps(double sigma_points) {
  BEATSCAN_EXPECTS(sigma_points > 0, "slope_taps: sigma must be positive");
  const int reach = static_cast<int>(4 * sigma_points + 0.5);
  std::vector<double> smooth(2 * reach + 5, 0.0), taps(2 * reach + 3);  // two zeros on either side
  double sum = 0;
  for (int k = -reach; k <= reach; ++k) sum += smooth[k + reach + 2] = std::exp(-0.5 * std::pow(k / sigma_points, 2));
  for (std::size_t k = 0; k < taps.size(); ++k) taps[k] = 0.5 * (smooth[k] - smooth[k + 2]) / sum;
  return taps;
}

}  // namespace beatscan
