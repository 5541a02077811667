// kernels/signal/strips.h — a few stretches of a long array, cut out side by side.
//
//   strips[k][j] = values[firsts[k] + j], NaN where that is before the first or behind the last value
//   values  [N]
//   firsts  [K]     any, also below 0 and above N
//   strips  [K][S]
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

void cut_strips(Cpu&, std::span<const float> values, std::span<const std::int64_t> firsts, std::span<float> strips);
void cut_strips(Cuda&, std::span<const float> values, std::span<const std::int64_t> firsts, std::span<float> strips);

}  // namespace beatscan
