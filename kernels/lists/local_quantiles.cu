#include "kernels/lists/local_quantiles.h"

#include <cub/device/device_radix_sort.cuh>

#include "kernels/lists/window_quantiles.cuh"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

template <class T>
Buffer<T, Cuda> in_order(Cuda& cuda, std::span<const T> values) {
  const std::int64_t count = std::ssize(values);
  Buffer<T, Cuda> result(cuda, count);
  with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, values.data(), result.data(), count, 0, 8 * sizeof(T),
                                          cuda.stream());
  });
  return result;
}

}  // namespace

Buffer<float, Cuda> sorted(Cuda& cuda, std::span<const float> values) { return in_order(cuda, values); }
Buffer<double, Cuda> sorted(Cuda& cuda, std::span<const double> values) { return in_order(cuda, values); }

namespace {

// One warp works on one window.
template <int N>
__global__ void local_quantiles_kernel(const double* __restrict__ values, std::int64_t value_count,
                                       const std::int64_t* __restrict__ middles, std::int64_t count, int reach,
                                       double q0, double q1, double* __restrict__ quantiles) {
  const std::int64_t i = global_thread() / 32;
  if (i >= count) return;
  const std::int64_t first = max(middles[i] - reach, std::int64_t{0}), last = min(middles[i] + reach, value_count);
  double found[2] = {NAN, NAN};
  if (last > first) {
    const Window<N> window(values + first, static_cast<int>(last - first));
    found[0] = window.quantile(q0);
    found[1] = q1 == q0 ? found[0] : window.quantile(q1);
  }
  if (threadIdx.x % 32 == 0) {
    quantiles[2 * i] = found[0];
    quantiles[2 * i + 1] = found[1];
  }
}

}  // namespace

void local_quantiles(Cuda& cuda, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles) {
  const auto count = static_cast<std::int64_t>(middles.size());
  check_local_quantiles(count, reach, q, static_cast<std::int64_t>(quantiles.size()));
  if (count == 0) return;
  const auto queue = [&](auto kernel) {
    launch(cuda, {blocks_for(count, kBlock / 32)}, kernel, values.data(), static_cast<std::int64_t>(values.size()),
           middles.data(), count, reach, q[0], q[1], quantiles.data());
  };
  constexpr int kFew = 10, kMany = (2 * kMostReach + 31) / 32;
  if (2 * reach <= 32 * kFew)
    queue(local_quantiles_kernel<kFew>);
  else
    queue(local_quantiles_kernel<kMany>);
}

}  // namespace beatscan
