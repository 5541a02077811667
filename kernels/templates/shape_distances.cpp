#include "kernels/templates/shape_distances.h"

#include <algorithm>

#include "kernels/lists/bits.h"
#include "kernels/runtime/each_width.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/templates/shape_distances_common.h"

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
  parallel_for(cpu, count, 8, [&](std::int64_t first, std::int64_t last) {
    std::int64_t products[kMostSampleShapes];
    for (std::int64_t i = first; i < last; ++i) {
      products_with(&shapes.values[i * width], shapes.values.data(), count, width, products);
      for (std::int64_t j = 0; j < count; ++j)
        if (distance_of_squares(shapes.squares[i], shapes.squares[j], products[j], floor) < radius)
          neighbours[i * words + j / 32] |= 1U << j % 32;
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

}  // namespace beatscan
