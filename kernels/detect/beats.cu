#include "kernels/detect/beats.h"
#include "kernels/detect/beats_common.h"
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

}  // namespace beatscan
