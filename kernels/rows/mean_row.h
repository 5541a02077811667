// kernels/rows/mean_row.h — the mean of rows, and how far rows are from one: what a model without latents would reach.
//   rows     [B][D]
//   indices  [n]     which rows
//   row      [D]
// Sums over rows have a fixed order: the same input gives the same bits, on Cpu for any number of threads.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// Parts that rows are summed in; fixed, for the order of the sums hangs on it.
inline constexpr std::int64_t kMeanParts = 256;

// The mean of the chosen rows into `row`; n > 0.
void mean_row(Cpu&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<float> row);
void mean_row(Cuda&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<float> row);

// errors [n]: mean over D of the squared difference between a chosen row and `row`.
void row_errors(Cpu&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<const float> row,
                std::span<float> errors);
void row_errors(Cuda&, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<const float> row,
                std::span<float> errors);

}  // namespace beatscan
