// kernels/windows/median_row.h — the median of rows, point by point, and the mean squares of rows. A wrong shape throws
// ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostMedianRows = 512;

//   rows     [R][D] finite; 1 <= R <= kMostMedianRows for a median
//   median   [D] the median of each point; of an even number of rows it is half-way between the middle two
//   squares  [R] mean square of each row
void median_row(Cpu&, std::span<const float> rows, std::span<float> median);
void median_row(Cuda&, std::span<const float> rows, std::span<float> median);
void mean_squares(Cpu&, std::span<const float> rows, std::span<double> squares);
void mean_squares(Cuda&, std::span<const float> rows, std::span<double> squares);

// Make the checks that both back ends share. The first returns R, the second D.
std::int64_t check_median_row(std::int64_t rows, std::int64_t median);
std::int64_t check_mean_squares(std::int64_t rows, std::int64_t squares);

}  // namespace beatscan
