// kernels/waves/medians.cuh — the median of a window whose values lie in the registers of one warp.
#pragma once

#include "kernels/waves/medians.h"

namespace beatscan::waves {

inline constexpr int kLaneValues = kValues / 32;  // value 32 i + lane of a window is element i of the lane

// The values of a window, for medians.h. NaN does not count. All lanes get the same answers.
class WarpValues {
 public:
  __device__ __forceinline__ explicit WarpValues(const float (&values)[kLaneValues]) : values_(values) {}
  __device__ __forceinline__ float least() const { return from(-INFINITY); }
  __device__ __forceinline__ float greatest() const {
    return -least_where([](float value) { return -value; });
  }
  __device__ __forceinline__ int below(float x) const {
    return count_where([x](float value) { return value < x; });
  }
  __device__ __forceinline__ int upto(float x) const {
    return count_where([x](float value) { return value <= x; });
  }
  __device__ __forceinline__ float from(float x) const {
    return least_where([x](float value) { return value >= x ? value : INFINITY; });
  }
  __device__ __forceinline__ float above(float x) const {
    return least_where([x](float value) { return value > x ? value : INFINITY; });
  }
  __device__ __forceinline__ float before(float x) const {
    return -least_where([x](float value) { return value < x ? -value : INFINITY; });
  }

 private:
  template <class Where>
  __device__ __forceinline__ int count_where(const Where& where) const {
    int count = 0;
#pragma unroll
    for (int i = 0; i < kLaneValues; ++i) count += where(values_[i]);
    return __reduce_add_sync(~0u, count);
  }
  template <class Of>
  __device__ __forceinline__ float least_where(const Of& of) const {
    float least = INFINITY;
#pragma unroll
    for (int i = 0; i < kLaneValues; ++i) least = fminf(least, of(values_[i]));
    // Bits of floats as integers are in the order of floats once those of negative ones are turned round.
    const auto turned = [](int bits) { return bits ^ ((bits >> 31) & 0x7fffffff); };
    return __int_as_float(turned(__reduce_min_sync(~0u, turned(__float_as_int(least)))));
  }
  const float (&values_)[kLaneValues];
};

// Returns the median of the `count` values that are not NaN; count >= 1, and the same on all lanes.
__device__ __forceinline__ float warp_median(const float (&values)[kLaneValues], int count) {
  return median_of(WarpValues(values), count);
}

}  // namespace beatscan::waves
