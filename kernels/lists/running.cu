#include <algorithm>
#include <array>

#include "kernels/lists/running.h"
#include "kernels/lists/window_quantiles.cuh"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

constexpr int kLists = 16;  // that a launch takes

struct QuantileList {
  const double* values;
  const std::uint32_t* before;
  std::int64_t places, size;
  int reach, quantiles;
  double q[kMostQuantiles];
  double* found[kMostQuantiles];
};
struct QuantileLists {
  QuantileList all[kLists];
};

template <int N>
__device__ void write_quantiles(const QuantileList& of, std::int64_t i, std::int64_t first, std::int64_t last) {
  const Window<N> window(of.values + first, static_cast<int>(last - first));
  for (int k = 0; k < of.quantiles; ++k) {
    const double found = last > first ? window.quantile(of.q[k]) : NAN;
    if (threadIdx.x % 32 == 0) of.found[k][i] = found;
  }
}

// One warp works on one window.
__global__ void running_quantiles_kernel(const __grid_constant__ QuantileLists lists) {
  const QuantileList& of = lists.all[blockIdx.y];
  const std::int64_t i = global_thread() / 32;
  if (i >= of.places) return;
  const std::int64_t low = of.before ? of.before[0] : 0, high = of.before ? of.before[of.places] : of.size;
  const std::int64_t at = of.before ? of.before[i] : i;
  const std::int64_t first = max(at - of.reach, low), last = min(at + of.reach, high);
  if (2 * of.reach <= 32)
    write_quantiles<1>(of, i, first, last);
  else if (2 * of.reach <= 64)
    write_quantiles<2>(of, i, first, last);
  else
    write_quantiles<2 * kMostRunningReach / 32>(of, i, first, last);
}

QuantileList list_of(const RunningQuantiles& of) {
  QuantileList list{.values = of.values.data(),
                    .before = of.before.empty() ? nullptr : of.before.data(),
                    .places = static_cast<std::int64_t>(of.quantiles.front().found.size()),
                    .size = static_cast<std::int64_t>(of.values.size()),
                    .reach = of.reach,
                    .quantiles = static_cast<int>(of.quantiles.size()),
                    .q = {},
                    .found = {}};
  for (int k = 0; k < list.quantiles; ++k) {
    list.q[k] = of.quantiles[k].q;
    list.found[k] = of.quantiles[k].found.data();
  }
  return list;
}

struct MeanList {
  const double* values;
  double* means;
  std::int64_t count;
  int reach;
};
struct MeanLists {
  MeanList all[kLists];
};

constexpr int kRing = 256;  // sums that are kept: more than 2 kMostRunningReach + 32 + 1
static_assert(kRing > 2 * kMostRunningReach + 33);

// One warp works on kMeansBlock places. Its sums are added up one value after the other, as on the CPU: all lanes add
// the same, and each keeps the sum after its own value.
__global__ void running_means_kernel(const __grid_constant__ MeanLists lists) {
  __shared__ double ring[kRing];  // sums[k] of the first k values from `low` on
  const MeanList& of = lists.all[blockIdx.y];
  const std::int64_t begin = blockIdx.x * kMeansBlock, end = min(begin + kMeansBlock, of.count);
  if (begin >= end) return;
  const std::int64_t low = max(begin - of.reach, std::int64_t{0}), high = min(end + of.reach, of.count);
  const int lane = static_cast<int>(threadIdx.x);
  if (lane == 0) ring[0] = 0;
  double sum = 0, coming = low + lane < high ? of.values[low + lane] : 0;
  for (std::int64_t tile = low, next = begin; tile < high; tile += 32) {
    const double value = coming;
    coming = tile + 32 + lane < high ? of.values[tile + 32 + lane] : 0;
    double own = 0;
    for (int k = 0; k < 32; ++k) {
      sum += __shfl_sync(~0u, value, k);
      if (k == lane) own = sum;
    }
    ring[(tile - low + 1 + lane) % kRing] = own;
    __syncwarp();
    const std::int64_t known = min(tile + 32, high), limit = known == high ? end : min(end, known - of.reach);
    for (std::int64_t i = next + lane; i < limit; i += 32) {
      const std::int64_t first = max(i - of.reach, std::int64_t{0}), last = min(i + of.reach + 1, of.count);
      of.means[i] = (ring[(last - low) % kRing] - ring[(first - low) % kRing]) / static_cast<double>(last - first);
    }
    next = max(next, limit);
    __syncwarp();
  }
}

constexpr int kSelected = 1024;  // values of a block

__device__ bool is_chosen(const double* values, const std::uint8_t* chosen, std::int64_t count, std::int64_t i) {
  return i < count && (chosen ? chosen[i] != 0 : isfinite(values[i]));
}

__global__ void count_chosen_kernel(const double* values, const std::uint8_t* chosen, std::int64_t count,
                                    std::uint32_t* counts) {
  const int found = __syncthreads_count(is_chosen(values, chosen, count, global_thread()));
  if (threadIdx.x == 0) counts[blockIdx.x] = static_cast<std::uint32_t>(found);
}

// Adds up a value of each thread of a block. All threads get the sum.
__device__ std::uint32_t sum_of_block(std::uint32_t own) {
  __shared__ std::uint32_t of_warps[32];
  own = __reduce_add_sync(~0u, own);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
  __syncthreads();
  const std::uint32_t sum = __reduce_add_sync(~0u, of_warps[threadIdx.x % 32]);
  __syncthreads();
  return sum;
}

// A block adds up the counts of the blocks before it, and its warps those of the warps before them.
__global__ void select_kernel(const double* values, const std::uint8_t* chosen, std::int64_t count,
                              const std::uint32_t* counts, std::uint32_t fewest, double* some, std::uint32_t* before) {
  __shared__ std::uint32_t of_warps[kSelected / 32];
  static_assert(kSelected == 1024, "sum_of_block has 32 warps");
  std::uint32_t in_front = 0, all = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += kSelected) {
    all += counts[b];
    in_front += b < blockIdx.x ? counts[b] : 0;
  }
  in_front = sum_of_block(in_front);
  all = sum_of_block(all);
  const std::int64_t i = global_thread();
  const bool every = all < fewest, own = every ? i < count : is_chosen(values, chosen, count, i);
  if (every) in_front = blockIdx.x * kSelected;
  const unsigned bits = __ballot_sync(~0u, own), warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) of_warps[warp] = __popc(bits);
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) in_front += of_warps[w];
  in_front += __popc(bits & ((1u << threadIdx.x % 32) - 1));
  if (i < count) before[i] = in_front;
  if (own) some[in_front] = values[i];
  if (i + 1 == count) before[count] = in_front + (own ? 1 : 0);
}

// Calls queue(lists, number, most places of a list) for kLists lists at a time.
template <class Lists, class Of, class ListOf, class Places, class Queue>
void queue_lists(std::span<const Of> all, const ListOf& list, const Places& places, const Queue& queue) {
  for (std::size_t first = 0; first < all.size(); first += kLists) {
    Lists some{};
    const auto count = std::min<std::size_t>(all.size() - first, kLists);
    std::int64_t most = 0;
    for (std::size_t k = 0; k < count; ++k) {
      some.all[k] = list(all[first + k]);
      most = std::max(most, places(some.all[k]));
    }
    if (most > 0) queue(some, static_cast<unsigned>(count), most);
  }
}

}  // namespace

void running_quantiles(Cuda& cuda, std::span<const RunningQuantiles> all) {
  check_running(all);
  queue_lists<QuantileLists>(
      all, list_of, [](const QuantileList& list) { return list.places; },
      [&](const QuantileLists& lists, unsigned count, std::int64_t most) {
        launch(cuda, {dim3(blocks_for(most, kBlock / 32), count)}, running_quantiles_kernel, lists);
      });
}

void running_means(Cuda& cuda, std::span<const RunningMeans> all) {
  check_running(all);
  const auto list = [](const RunningMeans& of) {
    return MeanList{of.values.data(), of.means.data(), static_cast<std::int64_t>(of.values.size()), of.reach};
  };
  queue_lists<MeanLists>(
      all, list, [](const MeanList& of) { return of.count; },
      [&](const MeanLists& lists, unsigned count, std::int64_t most) {
        launch(cuda, {dim3(blocks_for(most, kMeansBlock), count), 32}, running_means_kernel, lists);
      });
}

void select_values(Cuda& cuda, std::span<const double> values, std::span<const std::uint8_t> chosen,
                   std::int64_t fewest, std::span<double> some, std::span<std::uint32_t> before) {
  const auto count = static_cast<std::int64_t>(values.size());
  check_selection(count, static_cast<std::int64_t>(chosen.size()), static_cast<std::int64_t>(some.size()),
                  static_cast<std::int64_t>(before.size()));
  if (count == 0) return zero_bytes(cuda, before.data(), before.size_bytes());
  const unsigned blocks = blocks_for(count, kSelected);
  Buffer<std::uint32_t, Cuda> counts(cuda, blocks);
  launch(cuda, {blocks, kSelected}, count_chosen_kernel, values.data(), chosen.empty() ? nullptr : chosen.data(), count,
         counts.data());
  launch(cuda, {blocks, kSelected}, select_kernel, values.data(), chosen.empty() ? nullptr : chosen.data(), count,
         counts.data(), static_cast<std::uint32_t>(fewest), some.data(), before.data());
}

}  // namespace beatscan
