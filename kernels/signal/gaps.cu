#include "kernels/signal/gaps.h"

#include "kernels/lists/bits.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

// One thread handles one sample. The ballot of a warp is a word.
__global__ void mark_missing_kernel(const float* __restrict__ x, std::int64_t n, std::uint32_t* __restrict__ words) {
  const std::int64_t i = global_thread();
  const std::uint32_t word = __ballot_sync(~0u, i < n && isnan(x[i]));
  if (threadIdx.x % 32 == 0 && i < n) words[i / 32] = word;
}

// Adds the number of missing samples to `missing`. A warp adds them up first.
__global__ void count_missing_kernel(const float* __restrict__ x, std::int64_t n,
                                     unsigned long long* __restrict__ missing) {
  unsigned found = 0;
  for (std::int64_t i = global_thread(); i < n; i += static_cast<std::int64_t>(gridDim.x) * kBlock)
    found += isnan(x[i]);
  found = __reduce_add_sync(~0u, found);
  if (threadIdx.x % 32 == 0 && found > 0) atomicAdd(missing, found);
}

// One block bridges one gap, however long.
__global__ void bridge_gaps_kernel(const float* beside, float* x, std::int64_t n,
                                   const std::int64_t* __restrict__ firsts, const std::int64_t* __restrict__ lasts) {
  const GapBridge bridge(beside, n, firsts[blockIdx.x], lasts[blockIdx.x]);
  for (std::int64_t i = bridge.first + threadIdx.x; i <= bridge.last; i += blockDim.x) x[i] = bridge.at(i);
}

// Returns the number of blocks whose threads handle several samples each.
unsigned blocks_for_rounds(std::int64_t n) { return std::min(blocks_for(n, kBlock * 16), 4096u); }

}  // namespace

void mark_missing(Cuda& cuda, std::span<const float> x, std::span<std::uint32_t> words) {
  const auto n = static_cast<std::int64_t>(x.size());
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(words.size()) == words_for(n),
                   "mark_missing: words do not fit the samples");
  launch(cuda, {blocks_for(n)}, mark_missing_kernel, x.data(), n, words.data());
}

std::int64_t count_missing(Cuda& cuda, std::span<const float> x) {
  if (x.empty()) return 0;
  const auto n = static_cast<std::int64_t>(x.size());
  auto missing = from_host(cuda, std::vector<unsigned long long>{0});
  launch(cuda, {blocks_for_rounds(n)}, count_missing_kernel, x.data(), n, missing.data());
  return static_cast<std::int64_t>(to_host(cuda, missing)[0]);
}

void bridge_gaps(Cuda& cuda, std::span<const float> beside, std::span<float> x, std::span<const std::int64_t> firsts,
                 std::span<const std::int64_t> lasts) {
  BEATSCAN_EXPECTS(firsts.size() == lasts.size() && beside.size() == x.size(), "bridge_gaps: bad shape");
  if (firsts.empty()) return;
  launch(cuda, {static_cast<unsigned>(firsts.size())}, bridge_gaps_kernel, beside.data(), x.data(),
         static_cast<std::int64_t>(x.size()), firsts.data(), lasts.data());
}

}  // namespace beatscan
