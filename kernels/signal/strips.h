// kernels/signal/strips.h — cuts a few stretches out of a long array.
//
//   strips[k][j] = values[firsts[k] + j], NaN if that is before the first or after the last value
//   values  [N]
//   firsts  [K]     may be below 0 and above N
//   strips  [K][S]
// A wrong shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

void cut_strips(Cpu&, std::span<const float> values, std::span<const std::int64_t> firsts, std::span<float> strips);
void cut_strips(Cuda&, std::span<const float> values, std::span<const std::int64_t> firsts, std::span<float> strips);

}  // namespace beatscan
