// kernels/lists/sorted.h — a sorted copy of a list.
#pragma once

#include <span>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// Returns the values, none of them NaN, in ascending order.
Buffer<float, Cpu> sorted(Cpu&, std::span<const float> values);
Buffer<float, Cuda> sorted(Cuda&, std::span<const float> values);

}  // namespace beatscan
