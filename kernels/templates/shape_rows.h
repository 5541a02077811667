// kernels/templates/shape_rows.h — the shapes of beats as rows of integers, and their groups.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// Beats as short vectors of integers, whose shapes are compared.
//
// B beats, L leads, D points of a row. A shape has V = kShapePoints L values: those of the first lead, then those of
// the second, and so on. Values are integers, so that sums of them are the same in any order. A wrong shape of an array
// throws ErrorKind::internal.

inline constexpr std::int64_t kShapePoints = 64;  // values of one lead
inline constexpr int kShapeUnit = 128;            // steps of one unit of the weighted row
inline constexpr int kMostShapeValue = 4095;      // so that the product of two shapes of one lead fits 32 bits

// Shortens the rows of one lead, and puts them into the shapes:
//   shapes[b][lead * kShapePoints + p] = clip(round(offset[p] + factor[p] * sum), +-kMostShapeValue)
//   sum     of the D / kShapePoints points of rows[b] that make up point p
//   rows    [B][D] finite, D a multiple of kShapePoints
//   offset  [kShapePoints] the shape of a row of zeros
//   factor  [kShapePoints]
//   shapes  [B][V]
void shape_rows(Cpu&, std::span<const float> rows, std::span<const double> offset, std::span<const double> factor,
                std::int64_t lead, std::int64_t width, std::span<std::int16_t> shapes);
void shape_rows(Cuda&, std::span<const float> rows, std::span<const double> offset, std::span<const double> factor,
                std::int64_t lead, std::int64_t width, std::span<std::int16_t> shapes);

// squares[b] = sum of the squares of the values of shapes[b]
//   shapes   [B][V]
//   squares  [B]
void shape_squares(Cpu&, std::span<const std::int16_t> shapes, std::span<std::int64_t> squares);
void shape_squares(Cuda&, std::span<const std::int16_t> shapes, std::span<std::int64_t> squares);

// chosen[i] = shapes[indices[i]]
//   shapes   [B][V], V = width
//   indices  [C]
//   chosen   [C][V]
void gather_shapes(Cpu&, std::span<const std::int16_t> shapes, std::span<const std::int64_t> indices,
                   std::int64_t width, std::span<std::int16_t> chosen);
void gather_shapes(Cuda&, std::span<const std::int16_t> shapes, std::span<const std::int64_t> indices,
                   std::int64_t width, std::span<std::int16_t> chosen);

// groups[b] = nearest[b] if the beat counts and is nearer than `within`, else kNoGroup. A wrong shape throws
// ErrorKind::internal.
//   nearest, distances, counting, groups  [B]
void near_groups(Cpu&, std::span<const std::uint8_t> nearest, std::span<const float> distances,
                 std::span<const std::uint8_t> counting, float within, std::span<std::uint8_t> groups);
void near_groups(Cuda&, std::span<const std::uint8_t> nearest, std::span<const float> distances,
                 std::span<const std::uint8_t> counting, float within, std::span<std::uint8_t> groups);

}  // namespace beatscan
