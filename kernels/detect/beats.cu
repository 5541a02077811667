#include "kernels/detect/beats.h"

#include "kernels/detect/detect.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

// One thread handles one candidate. The ballot of a warp is a word of `kept`.
__global__ void classify_kernel(const std::int64_t* __restrict__ starts, std::int64_t size, LengthLimits limits,
                                const std::int64_t* __restrict__ gap_firsts, const std::int64_t* __restrict__ gap_lasts,
                                std::int64_t gaps, Outcome* __restrict__ outcomes, std::uint32_t* __restrict__ kept) {
  const std::int64_t i = global_thread();
  Outcome outcome = Outcome::last;
  if (i < size) outcomes[i] = outcome = outcome_of(starts, size, i, limits, gap_firsts, gap_lasts, gaps);
  const std::uint32_t word = __ballot_sync(~0u, outcome == Outcome::kept);
  if (threadIdx.x % 32 == 0 && i < size) kept[i / 32] = word;
}

// One warp makes one row. Each lane reads once what a row's elements share, and neighbouring lanes write neighbouring
// words. Rows of raw samples (step 1) need no arithmetic.
__global__ void embed_kernel(const float* __restrict__ signal, std::int64_t n, const std::int64_t* __restrict__ starts,
                             const std::int64_t* __restrict__ kept, std::int64_t count, double step_samples,
                             std::int64_t row_length, float* __restrict__ rows) {
  const std::int64_t b = global_thread() / 32;
  if (b >= count) return;
  const std::int64_t beat = kept[b], start = starts[beat], length = starts[beat + 1] - start;
  float* row = rows + b * row_length;
  if (step_samples == 1) {
    for (std::int64_t j = threadIdx.x % 32; j < row_length; j += 32) row[j] = j < length ? signal[start + j] : 0;
    return;
  }
  // The product is rounded before it is used, as on the CPU: __dmul_rn is never fused with an addition.
  for (std::int64_t j = threadIdx.x % 32; j < row_length; j += 32)
    row[j] = row_element(signal, n, start, length, __dmul_rn(static_cast<double>(j), step_samples));
}

}  // namespace

void classify_candidates(Cuda& cuda, std::span<const std::int64_t> starts, LengthLimits limits,
                         std::span<const std::int64_t> gap_firsts, std::span<const std::int64_t> gap_lasts,
                         std::span<Outcome> outcomes, std::span<std::uint32_t> kept) {
  const auto size = static_cast<std::int64_t>(starts.size());
  BEATSCAN_EXPECTS(
      static_cast<std::int64_t>(outcomes.size()) == size && static_cast<std::int64_t>(kept.size()) == words_for(size),
      "classify_candidates: bad shape");
  BEATSCAN_EXPECTS(gap_firsts.size() == gap_lasts.size(), "classify_candidates: gap firsts and lasts differ");
  launch(cuda, {blocks_for(size)}, classify_kernel, starts.data(), size, limits, gap_firsts.data(), gap_lasts.data(),
         static_cast<std::int64_t>(gap_firsts.size()), outcomes.data(), kept.data());
}

void embed_rows(Cuda& cuda, std::span<const float> signal, std::span<const std::int64_t> starts,
                std::span<const std::int64_t> kept, double step_samples, std::int64_t row_length,
                std::span<float> rows) {
  const auto elements = static_cast<std::int64_t>(rows.size());
  BEATSCAN_EXPECTS(
      row_length > 0 && step_samples > 0 && elements == static_cast<std::int64_t>(kept.size()) * row_length,
      "embed_rows: rows are not [kept][row_length]");
  if (elements == 0) return;
  const auto count = static_cast<std::int64_t>(kept.size());
  launch(cuda, {blocks_for(count * 32)}, embed_kernel, signal.data(), static_cast<std::int64_t>(signal.size()),
         starts.data(), kept.data(), count, step_samples, row_length, rows.data());
}

namespace {

template <class Combine>
__device__ auto over_warp(auto value, Combine combine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(~0u, value, step));
  return value;
}

// One warp works on one block. It reads the few hundred samples twice, the second time from the nearest cache.
__global__ void block_facts_kernel(const float* __restrict__ signal, std::int64_t n, const float* __restrict__ levels,
                                   int block, std::int64_t blocks, BlockFacts* __restrict__ facts) {
  const std::int64_t i = global_thread() / 32;
  if (i >= blocks) return;
  const int lane = threadIdx.x % 32;
  const detection::BlockRange range(i, blocks, block, n);
  float min_value = signal[range.first], max_value = min_value;
  for (std::int64_t j = range.first + lane; j < range.last; j += 32) {
    min_value = min(min_value, signal[j]);
    max_value = max(max_value, signal[j]);
  }
  min_value = over_warp(min_value, [](float a, float b) { return min(a, b); });
  max_value = over_warp(max_value, [](float a, float b) { return max(a, b); });
  const detection::BlockLimits limits(min_value, max_value);
  int at_min = 0, at_max = 0, near_min = 0, near_max = 0;
  for (std::int64_t j = range.first + lane; j < range.last; j += 32) {
    const bool stays = j + 1 < range.last && signal[j + 1] == signal[j];
    at_min += stays && signal[j] == min_value;
    at_max += stays && signal[j] == max_value;
    near_min += signal[j] < limits.near_min;
    near_max += signal[j] > limits.near_max;
  }
  const auto sum = [](int a, int b) { return a + b; };
  at_min = over_warp(at_min, sum);
  at_max = over_warp(at_max, sum);
  near_min = over_warp(near_min, sum);
  near_max = over_warp(near_max, sum);
  if (lane == 0)
    facts[i] = {min_value, max_value, at_min, at_max, near_min, near_max, static_cast<int>(range.last - range.first),
                levels[i]};
}

}  // namespace

void block_facts(Cuda& cuda, std::span<const float> signal, std::span<const float> levels, int block,
                 std::span<BlockFacts> facts) {
  const auto n = static_cast<std::int64_t>(signal.size()), blocks = static_cast<std::int64_t>(facts.size());
  BEATSCAN_EXPECTS(n > 0 && levels.size() == facts.size() && block > 0 && blocks == level_blocks(n, block),
                   "block_facts: bad shape");
  launch(cuda, {blocks_for(blocks, kBlock / 32)}, block_facts_kernel, signal.data(), n, levels.data(), block, blocks,
         facts.data());
}

}  // namespace beatscan
