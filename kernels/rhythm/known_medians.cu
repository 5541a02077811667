#include <cmath>
#include <cstdint>

#include "kernels/rhythm/known_medians.h"
#include "kernels/runtime/launch.cuh"
#include "kernels/runtime/portable.h"

namespace beatscan {
namespace {

__device__ bool exists(float value) { return value - value == 0; }

// Some values nearby, at most 2 kMedianSide, of which order statistics are found by counting.
struct ValuesNearby {
  static constexpr int kMost = 2 * kMedianSide;
  float values[kMost];
  int count = 0;

  __device__ ValuesNearby() {
    for (float& value : values) value = INFINITY;
  }
  // Adds values that exist from place `at` on, forwards or backwards.
  __device__ void add(const float* from, std::int64_t size, std::int64_t at, int step) {
    for (int added = 0; added < kMedianSide && 0 <= at && at < size; at += step)
      if (const float value = from[at]; exists(value)) values[count++] = value, ++added;
  }
  __device__ float of_rank(int rank) const {
    float found = 0;
    for (const float own : values) {
      int less = 0, not_above = 0;
      for (const float other : values) less += other < own, not_above += other <= own;
      if (less <= rank && rank < not_above) found = own;
    }
    return found;
  }
};

__device__ double within(double value, double least, double most) {
  return value < least ? least : value > most ? most : value;
}

// One thread for each value. All of them together read at most 4 kMedianSide values for each one, because a stretch
// without values is passed by the kMedianSide values on either side of it alone.
__global__ void known_medians_kernel(const float* __restrict__ values, std::int64_t count, double least, double most,
                                     double* __restrict__ medians) {
  const std::int64_t i = global_thread();
  if (i >= count) return;
  medians[i] = static_cast<double>(NAN);
  if (!exists(values[i])) return;
  ValuesNearby nearby;
  nearby.add(values, count, i - 1, -1);
  nearby.add(values, count, i, 1);
  const double low = within(nearby.of_rank((nearby.count - 1) / 2), least, most),
               high = within(nearby.of_rank(nearby.count / 2), least, most);
  medians[i] = interpolate(low, high, 0.5);
}

}  // namespace

void known_medians(Cuda& cuda, std::span<const float> values, double least, double most, std::span<double> medians) {
  BEATSCAN_EXPECTS(values.size() == medians.size(), "known_medians: bad shape");
  if (values.empty()) return;
  const auto count = static_cast<std::int64_t>(values.size());
  launch(cuda, {blocks_for(count)}, known_medians_kernel, values.data(), count, least, most, medians.data());
}

}  // namespace beatscan
