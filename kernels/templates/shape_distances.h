// kernels/templates/shape_distances.h — distances between shapes, sums of shapes, and the widths of mean beats.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"
#include "kernels/templates/shape_rows.h"

namespace beatscan {

// Each operation is rounded to double and the result to float. No sum follows a product here that could be fused with
// it: the products are integers, or go into a square root.
BEATSCAN_HOST_DEVICE inline float distance_of_squares(std::int64_t square_a, std::int64_t square_b,
                                                      std::int64_t product, double floor) {
  const auto apart = static_cast<double>(square_a + square_b - 2 * product);
  const double size = sqrt(static_cast<double>(square_a) * static_cast<double>(square_b));
  return static_cast<float>(apart / (size + floor));
}

// Distances between the shapes of beats.
//
//   d(a, b) = |a - b|^2 / (|a| |b| + floor)      0: the same, 2: orthogonal, 4: inverted
// The integers of shapes give exact products, and the rest is rounded alike, so both back ends give the same bits. A
// wrong shape of an array throws ErrorKind::internal.

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

// Sums of the rows of each group of beats.
//
//   sums[k][j] = sum over the b with groups[b] == k of value(rows[b][j])
//   value(x)   = x of an integer; of a float the nearest integer to kSumParts x, clipped to +-2^40
//   counts[k]  = number of those b
// The sums are of integers, and so both back ends give the same.

inline constexpr std::int64_t kMostGroups = 40;
inline constexpr std::uint8_t kNoGroup = 255;
inline constexpr double kSumParts = 65536;

// Adds up the rows of groups 0 .. K - 1; rows of other groups are left out. A wrong shape throws ErrorKind::internal.
// T is std::int16_t or float.
//   rows    [B][D] finite
//   groups  [B]
//   sums    [K][D], K <= kMostGroups
//   counts  [K]
template <class T>
void group_sums(Cpu&, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts);
template <class T>
void group_sums(Cuda&, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts);

// Makes the check that both back ends share, and returns D.
std::int64_t check_group_sums(std::int64_t rows, std::int64_t groups, std::int64_t sums, std::int64_t counts);

BEATSCAN_HOST_DEVICE inline std::int64_t sum_value(std::int16_t value) { return value; }
BEATSCAN_HOST_DEVICE inline std::int64_t sum_value(float value) {
  constexpr double kMost = 1099511627776.0;  // 2^40
  const double parts = rint(static_cast<double>(value) * kSumParts);
  return static_cast<std::int64_t>(parts < -kMost ? -kMost : parts > kMost ? kMost : parts);
}

// Slopes of a mean beat, of which its width is made (app/output/template_shapes.h).
//
//   slope(j) = sum over k of taps[k] row[j + k - (T - 1) / 2]
// Beyond its ends a row keeps its end values. A wrong shape throws ErrorKind::internal.

struct WidthRange {
  std::int64_t points, first, last;  // D, and the points whose slopes count
};

// Returns slopes of a row, at first <= j < last.
//   taps  [T], T odd
std::vector<double> slopes_of(std::span<const float> row, WidthRange range, std::span<const double> taps);

// Returns taps that smooth by a Gaussian and take the slope: the difference of the values on either side, halved.
// Beyond four sigmas the Gaussian is cut off.
//   sigma_points  positive
std::vector<double> slope_taps(double sigma_points);

}  // namespace beatscan
