// kernels/windows/mean_row.h — the mean and the median of rows.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// The mean of rows, and the errors of rows against it, which are those of a model without
// latents.
//   rows     [B][D]
//   indices  [n]     the chosen rows
//   row      [D]
// Sums over rows have a fixed order: the same input gives the same bits, on Cpu for any number of threads. A wrong
// shape throws ErrorKind::internal.

// The number of parts that rows are summed in. It is fixed, because the order of the sums depends on it.
inline constexpr std::int64_t kMeanParts = 256;

// Writes the mean of the chosen rows to `row`; n > 0.
void mean_row(Cpu&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<float> row);
void mean_row(Cuda&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<float> row);

// Computes the mean over D of the squared difference between each chosen row and `row`.
//   errors  [n]
void row_errors(Cpu&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<const float> row,
                std::span<float> errors);
void row_errors(Cuda&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<const float> row,
                std::span<float> errors);

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
