// kernels/templates/shape_distances.h — distances between the shapes of beats.
//
//   d(a, b) = |a - b|^2 / (|a| |b| + floor)      0: the same, 2: orthogonal, 4: inverted
// The integers of shapes give exact products, and the rest is rounded alike, so both back ends give the same bits. A
// wrong shape of an array throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"
#include "kernels/templates/shape_rows.h"

namespace beatscan {

// Shapes with their squares.
struct ShapeList {
  std::span<const std::int16_t> values;   // [B][V]
  std::span<const std::int64_t> squares;  // [B] see shape_squares
};

inline constexpr std::int64_t kMostCentres = 250;  // nearest_shapes counts them in a byte

// Finds the nearest of 1 to kMostCentres centres of each shape; of equally near ones the first.
//   width      V, a multiple of kShapePoints
//   nearest    [B]
//   distances  [B] from it
void nearest_shapes(Cpu&, ShapeList shapes, ShapeList centres, std::int64_t width, double floor,
                    std::span<std::uint8_t> nearest, std::span<float> distances);
void nearest_shapes(Cuda&, ShapeList shapes, ShapeList centres, std::int64_t width, double floor,
                    std::span<std::uint8_t> nearest, std::span<float> distances);

inline constexpr std::int64_t kMostSampleShapes = 4096;  // largest B of shape_neighbours

// Finds the pairs of shapes that are nearer than a radius. Each shape is a neighbour of itself, if the radius is above
// 0.
//   neighbours  [B][words_for(B)] bit j of row i is set if d(i, j) < radius, see bits.h
void shape_neighbours(Cpu&, ShapeList shapes, std::int64_t width, double floor, float radius,
                      std::span<std::uint32_t> neighbours);
void shape_neighbours(Cuda&, ShapeList shapes, std::int64_t width, double floor, float radius,
                      std::span<std::uint32_t> neighbours);

// Returns the distance of two shapes on the host.
float shape_distance(std::span<const std::int16_t> a, std::span<const std::int16_t> b, double floor);

// Make the checks that both back ends share.
void check_nearest_shapes(const ShapeList& shapes, const ShapeList& centres, std::int64_t width, std::int64_t nearest,
                          std::int64_t distances);
void check_shape_neighbours(const ShapeList& shapes, std::int64_t width, std::int64_t neighbours);

}  // namespace beatscan
