#include "kernels/features/beat_sums.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::features {
namespace {

constexpr int kPart = 512;              // beats of a block
constexpr int kThreads = kGroups + 32;  // the thread kGroups adds up all beats

// Thread g adds up the values of the beats of group g, in their order.
__global__ void part_sums_kernel(const std::int16_t* group, const double* series, std::int64_t beats, int count,
                                 double* parts) {
  __shared__ std::int16_t groups[kPart];
  __shared__ double values[kPart];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kPart;
  const int size = static_cast<int>(min(beats - first, static_cast<std::int64_t>(kPart)));
  const int s = static_cast<int>(blockIdx.y), own = static_cast<int>(threadIdx.x);
  for (int k = own; k < size; k += kThreads) {
    groups[k] = group ? group[first + k] : std::int16_t{-1};
    values[k] = series[s * beats + first + k];
  }
  __syncthreads();
  if (own > kGroups) return;
  double sum = 0;
  for (int k = 0; k < size; ++k)
    if (own == kGroups || groups[k] == own) sum += values[k];
  parts[(static_cast<std::int64_t>(blockIdx.x) * (kGroups + 1) + own) * count + s] = sum;
}

// One thread adds up the parts of a sum, in their order.
__global__ void whole_sums_kernel(const double* parts, std::int64_t part_count, std::int64_t sum_count, double* sums) {
  const std::int64_t k = global_thread();
  if (k >= sum_count) return;
  double sum = 0;
#pragma unroll 8
  for (std::int64_t part = 0; part < part_count; ++part) sum += parts[part * sum_count + k];
  sums[k] = sum;
}

}  // namespace

void beat_sums(Cuda& cuda, std::span<const std::int16_t> group, std::span<const double> series,
               std::span<double> sums) {
  const auto values = static_cast<std::int64_t>(series.size()), sum_count = static_cast<std::int64_t>(sums.size());
  const int count = series_of(static_cast<std::int64_t>(group.size()), values, sum_count);
  const std::int64_t beats = count > 0 ? values / count : 0;
  if (beats == 0) return zero_bytes(cuda, sums.data(), sums.size_bytes());
  const unsigned blocks = blocks_for(beats, kPart);
  Buffer<double, Cuda> parts(cuda, blocks * sum_count);
  launch(cuda, {dim3(blocks, static_cast<unsigned>(count)), kThreads}, part_sums_kernel,
         group.empty() ? nullptr : group.data(), series.data(), beats, count, parts.data());
  launch(cuda, {blocks_for(sum_count, 64), 64}, whole_sums_kernel, parts.data(), static_cast<std::int64_t>(blocks),
         sum_count, sums.data());
}

}  // namespace beatscan::features
