#include "kernels/runtime/launch.cuh"
#include "kernels/templates/shape_sums_common.h"

namespace beatscan {
namespace {

constexpr int kPart = 64;         // points of a row that a block adds up, one a thread
constexpr int kBlockBeats = 128;  // beats of a block

__device__ void add_to(std::int64_t* sum, std::int64_t value) {
  if (value != 0) atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}

// A thread adds up one point of the block's beats, apart for each group, and then adds its sums to those of the other
// blocks. Integers may be added in any order.
template <class T>
__global__ void group_sums_kernel(const T* __restrict__ rows, const std::uint8_t* __restrict__ groups,
                                  std::int64_t beats, std::int64_t width, int count, std::int64_t* __restrict__ sums,
                                  std::int64_t* __restrict__ counts) {
  __shared__ std::int64_t part[kMostGroups][kPart];
  __shared__ std::int64_t part_counts[kMostGroups];
  for (int k = 0; k < count; ++k) part[k][threadIdx.x] = 0;
  if (threadIdx.x < kMostGroups) part_counts[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.y) * kPart + threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockBeats;
#pragma unroll 4
  for (int i = 0; i < kBlockBeats; ++i) {
    const std::int64_t b = first + i;
    const int group = b < beats ? groups[b] : kNoGroup;
    if (group >= count) continue;
    if (j < width) part[group][threadIdx.x] += sum_value(rows[b * width + j]);
    if (threadIdx.x == 0 && blockIdx.y == 0) ++part_counts[group];
  }
  if (j < width)
    for (int k = 0; k < count; ++k) add_to(sums + k * width + j, part[k][threadIdx.x]);
  if (threadIdx.x != 0 || blockIdx.y != 0) return;
  for (int k = 0; k < count; ++k) add_to(counts + k, part_counts[k]);
}

}  // namespace

template <class T>
void group_sums(Cuda& cuda, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts) {
  const auto beats = static_cast<std::int64_t>(groups.size());
  const auto width = check_group_sums(static_cast<std::int64_t>(rows.size()), beats,
                                      static_cast<std::int64_t>(sums.size()), static_cast<std::int64_t>(counts.size()));
  zero_bytes(cuda, sums.data(), sums.size_bytes());
  zero_bytes(cuda, counts.data(), counts.size_bytes());
  if (beats == 0) return;
  const dim3 grid(blocks_for(beats, kBlockBeats), blocks_for(width, kPart));
  launch(cuda, {grid, kPart}, group_sums_kernel<T>, rows.data(), groups.data(), beats, width,
         static_cast<int>(counts.size()), sums.data(), counts.data());
}
template void group_sums(Cuda&, std::span<const std::int16_t>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);
template void group_sums(Cuda&, std::span<const float>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);

}  // namespace beatscan
