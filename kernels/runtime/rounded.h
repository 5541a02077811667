// kernels/runtime/rounded.h — sums of products that have the same bits on host and device.
#pragma once

#include "kernels/runtime/portable.h"

namespace beatscan {

// Returns sum + a b, with the product and the sum rounded. Device code would fuse the two otherwise.
BEATSCAN_HOST_DEVICE inline double plus_product(double sum, double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(sum, __dmul_rn(a, b));
#else
  return sum + a * b;
#endif
}

}  // namespace beatscan
