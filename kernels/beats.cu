#include "kernels/beats.h"
#include "kernels/beats_common.h"
#include "kernels/bits.h"
#include "kernels/launch.cuh"

namespace beatscan {
namespace {

// One thread a candidate; a warp's ballot is a word.
__global__ void classify_kernel(const std::int64_t* __restrict__ starts, std::int64_t size, LengthLimits limits,
                                const std::int64_t* __restrict__ gap_firsts, const std::int64_t* __restrict__ gap_lasts,
                                std::int64_t gaps, Fate* __restrict__ fates, std::uint32_t* __restrict__ kept) {
  const std::int64_t i = global_thread();
  Fate fate = Fate::last;
  if (i < size) fates[i] = fate = fate_of(starts, size, i, limits, gap_firsts, gap_lasts, gaps);
  const std::uint32_t word = __ballot_sync(~0u, fate == Fate::kept);
  if (threadIdx.x % 32 == 0 && i < size) kept[i / 32] = word;
}

// One block a row, however long: no division to find one's place, neighbouring threads write neighbouring words.
__global__ void embed_kernel(const float* __restrict__ signal, std::int64_t n, const std::int64_t* __restrict__ starts,
                             const std::int64_t* __restrict__ kept, double step_samples, std::int64_t row_length,
                             float* __restrict__ rows) {
  const std::int64_t beat = kept[blockIdx.x], start = starts[beat], length = starts[beat + 1] - start;
  float* row = rows + blockIdx.x * row_length;
  // The offset is rounded before row_element takes its whole part off, as on the host: fused, the fraction would have
  // other bits.
  for (std::int64_t j = threadIdx.x; j < row_length; j += blockDim.x)
    row[j] = row_element(signal, n, start, length, __dmul_rn(static_cast<double>(j), step_samples));
}

}  // namespace

void classify_candidates(Cuda& cuda, std::span<const std::int64_t> starts, LengthLimits limits,
                         std::span<const std::int64_t> gap_firsts, std::span<const std::int64_t> gap_lasts,
                         std::span<Fate> fates, std::span<std::uint32_t> kept) {
  const auto size = static_cast<std::int64_t>(starts.size());
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(fates.size()) == size &&
                       static_cast<std::int64_t>(kept.size()) == words_for(size),
                   "classify_candidates: bad shape");
  BEATSCAN_EXPECTS(gap_firsts.size() == gap_lasts.size(), "classify_candidates: gap firsts and lasts differ");
  classify_kernel<<<blocks_for(size), kBlock, 0, cuda.stream()>>>(starts.data(), size, limits, gap_firsts.data(),
                                                                  gap_lasts.data(),
                                                                  static_cast<std::int64_t>(gap_firsts.size()),
                                                                  fates.data(), kept.data());
  check_launch();
}

void embed_rows(Cuda& cuda, std::span<const float> signal, std::span<const std::int64_t> starts,
                std::span<const std::int64_t> kept, double step_samples, std::int64_t row_length,
                std::span<float> rows) {
  const auto elements = static_cast<std::int64_t>(rows.size());
  BEATSCAN_EXPECTS(row_length > 0 && step_samples > 0 &&
                       elements == static_cast<std::int64_t>(kept.size()) * row_length,
                   "embed_rows: rows are not [kept][row_length]");
  if (elements == 0) return;
  const auto threads = static_cast<unsigned>(std::clamp<std::int64_t>(row_length, 32, kBlock));
  embed_kernel<<<blocks_for(elements, row_length), threads, 0, cuda.stream()>>>(
      signal.data(), static_cast<std::int64_t>(signal.size()), starts.data(), kept.data(), step_samples, row_length,
      rows.data());
  check_launch();
}

}  // namespace beatscan
