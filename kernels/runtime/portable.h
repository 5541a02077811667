// kernels/runtime/portable.h — functions that host and device share and that give the same bits on both.
#pragma once

#ifdef __CUDACC__
#define BEATSCAN_HOST_DEVICE __host__ __device__
#else
#define BEATSCAN_HOST_DEVICE
#endif

// Inlines a function of both back ends into its callers, also into those for one kind of processor (vectors.h).
#ifdef __CUDACC__
#define BEATSCAN_INLINE_BOTH __host__ __device__ __forceinline__
#else
#define BEATSCAN_INLINE_BOTH inline __attribute__((always_inline))
#endif

#include <cstdint>

namespace beatscan {

// Returns the index of the first of n ascending values that is not below `value`; n if there is none.
template <class T, class Value>
BEATSCAN_HOST_DEVICE std::int64_t first_not_below(const T* values, std::int64_t n, Value value) {
  std::int64_t low = 0, high = n;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (values[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Returns a + f (b - a), with each operation rounded. Host code is built with -ffp-contract=off; for device code the
// intrinsics below keep the compiler from fusing a multiplication with an addition.
BEATSCAN_HOST_DEVICE inline float interpolate(float a, float b, float f) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, __fmul_rn(f, __fsub_rn(b, a)));
#else
  return a + f * (b - a);
#endif
}

BEATSCAN_HOST_DEVICE inline double interpolate(double a, double b, double f) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, __dmul_rn(f, __dsub_rn(b, a)));
#else
  return a + f * (b - a);
#endif
}

}  // namespace beatscan
