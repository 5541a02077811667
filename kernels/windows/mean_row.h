// kernels/windows/mean_row.h — the mean of rows, and the errors of rows against it, which are those of a model without
// latents.
//   rows     [B][D]
//   indices  [n]     the chosen rows
//   row      [D]
// Sums over rows have a fixed order: the same input gives the same bits, on Cpu for any number of threads. A wrong
// shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

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

}  // namespace beatscan
