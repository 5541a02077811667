// kernels/log_scores.h — distances to scores: logarithms, chosen ones for a robust scale, standardised sums.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/context.h"

namespace beatscan {

// values[i] = log(factor values[i] + least), in place; factor values[i] >= 0, least > 0. Always finite: what is not is
// taken for 3e38.
void take_logs(Cpu&, float factor, float least, std::span<float> values);
void take_logs(Cuda&, float factor, float least, std::span<float> values);

// chosen[i] = values[indices[i]]
void gather(Cpu&, std::span<const float> values, std::span<const std::int64_t> indices, std::span<float> chosen);
void gather(Cuda&, std::span<const float> values, std::span<const std::int64_t> indices, std::span<float> chosen);

// sums[i] += weight (values[i] - middle)
void add_weighted(Cpu&, std::span<const float> values, float middle, float weight, std::span<float> sums);
void add_weighted(Cuda&, std::span<const float> values, float middle, float weight, std::span<float> sums);

}  // namespace beatscan
