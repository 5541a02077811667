// kernels/lists/exclusive_sum.h — running sums on the GPU, in one place because CUB's scan takes long to compile.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// Replaces each count by the sum of the counts before it. If the last count is 0, it becomes the sum of all.
void exclusive_sum(Cuda&, std::span<std::uint32_t> counts);

}  // namespace beatscan
