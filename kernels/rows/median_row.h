// kernels/rows/median_row.h — the median of rows, point by point, and how large rows are.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostMedianRows = 512;

//   rows     [R][D], 1 <= R <= kMostMedianRows, finite
//   median   [D] point by point: of an even number of rows half-way between the middle two
//   squares  [R] mean square of a row
void median_row(Cpu&, std::span<const float> rows, std::span<float> median);
void median_row(Cuda&, std::span<const float> rows, std::span<float> median);
void mean_squares(Cpu&, std::span<const float> rows, std::span<double> squares);
void mean_squares(Cuda&, std::span<const float> rows, std::span<double> squares);

// The checks that both back ends make; they return R and D.
std::int64_t check_median_row(std::int64_t rows, std::int64_t median);
std::int64_t check_mean_squares(std::int64_t rows, std::int64_t squares);

}  // namespace beatscan
