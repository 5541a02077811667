#include "kernels/templates/shape_rows.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"
#include "kernels/templates/shape_distances.h"

namespace beatscan {

void shape_rows(BackEnd& context, std::span<const float> rows, std::span<const double> offset,
                std::span<const double> factor, std::int64_t lead, std::int64_t width, std::span<std::int16_t> shapes) {
  BEATSCAN_EXPECTS(width > 0 && width % kShapePoints == 0 && std::ssize(shapes) % width == 0 && 0 <= lead &&
                       (lead + 1) * kShapePoints <= width && std::ssize(offset) == kShapePoints &&
                       std::ssize(factor) == kShapePoints,
                   "shape_rows: bad shape");
  const std::int64_t beats = std::ssize(shapes) / width, items = beats * kShapePoints;
  if (beats == 0 && rows.empty()) return;
  BEATSCAN_EXPECTS(beats > 0 && !rows.empty() && std::ssize(rows) % items == 0, "shape_rows: bad rows");
  const std::int64_t pooled = std::ssize(rows) / items;
  each(context, items,
       [=, rows = rows.data(), offset = offset.data(), factor = factor.data(),
        shapes = shapes.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t beat = i / kShapePoints, point = i % kShapePoints;
         float sum = 0;
         for (std::int64_t j = 0; j < pooled; ++j) sum += rows[i * pooled + j];
         const double value = rint(plus_product(offset[point], factor[point], static_cast<double>(sum)));
         const double most = kMostShapeValue;
         shapes[beat * width + lead * kShapePoints + point] = static_cast<std::int16_t>(value < -most  ? -most
                                                                                        : value > most ? most
                                                                                                       : value);
       });
}

void shape_squares(BackEnd& context, std::span<const std::int16_t> shapes, std::span<std::int64_t> squares) {
  const std::int64_t beats = std::ssize(squares), width = beats > 0 ? std::ssize(shapes) / beats : 0;
  BEATSCAN_EXPECTS(std::ssize(shapes) == beats * width && (beats == 0 || width > 0), "shape_squares: bad shape");
  each(context, beats, [=, shapes = shapes.data(), squares = squares.data()] BEATSCAN_DEVICE(std::int64_t i) {
    std::int64_t sum = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int32_t value = shapes[i * width + j];
      sum += value * value;
    }
    squares[i] = sum;
  });
}

void gather_shapes(BackEnd& context, std::span<const std::int16_t> shapes, std::span<const std::int64_t> indices,
                   std::int64_t width, std::span<std::int16_t> chosen) {
  BEATSCAN_EXPECTS(width > 0 && std::ssize(shapes) % width == 0 && std::ssize(chosen) == std::ssize(indices) * width,
                   "gather_shapes: bad shape");
  each(context, std::ssize(chosen),
       [=, shapes = shapes.data(), indices = indices.data(), chosen = chosen.data()] BEATSCAN_DEVICE(std::int64_t i) {
         chosen[i] = shapes[indices[i / width] * width + i % width];
       });
}

void near_groups(BackEnd& context, std::span<const std::uint8_t> nearest, std::span<const float> distances,
                 std::span<const std::uint8_t> counting, float within, std::span<std::uint8_t> groups) {
  BEATSCAN_EXPECTS(
      nearest.size() == groups.size() && distances.size() == groups.size() && counting.size() == groups.size(),
      "near_groups: bad shape");
  each(context, std::ssize(groups),
       [=, nearest = nearest.data(), distances = distances.data(), counting = counting.data(),
        groups = groups.data()] BEATSCAN_DEVICE(std::int64_t b) {
         groups[b] = counting[b] && distances[b] < within ? nearest[b] : kNoGroup;
       });
}

}  // namespace beatscan
