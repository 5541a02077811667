// kernels/portable.h — functions that one definition serves on both sides, with the same bits.
#pragma once

#ifdef __CUDACC__
#define BEATSCAN_HOST_DEVICE __host__ __device__
#else
#define BEATSCAN_HOST_DEVICE
#endif

namespace beatscan {

// a + f (b - a), each operation rounded: host code is built with -ffp-contract=off, and device code is told here.
BEATSCAN_HOST_DEVICE inline float interpolate(float a, float b, float f) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, __fmul_rn(f, __fsub_rn(b, a)));
#else
  return a + f * (b - a);
#endif
}

}  // namespace beatscan
