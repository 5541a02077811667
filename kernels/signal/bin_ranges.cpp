#include "kernels/signal/bin_ranges.h"

#include <algorithm>
#include <bit>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// Finds the least and the greatest of n values. It keeps several minima and maxima side by side, because a single one
// would have to wait for itself at every sample.
void extremes_of(const float* x, std::int64_t n, float* extremes) {
  constexpr int kLanes = 8;
  float least[kLanes], greatest[kLanes];
  const std::int64_t lanes = std::min<std::int64_t>(n, kLanes);
  std::copy_n(x, lanes, least);
  std::copy_n(x, lanes, greatest);
  std::int64_t j = lanes;
  for (; j + kLanes <= n; j += kLanes)
    for (int k = 0; k < kLanes; ++k) {
      least[k] = x[j + k] < least[k] ? x[j + k] : least[k];
      greatest[k] = x[j + k] > greatest[k] ? x[j + k] : greatest[k];
    }
  extremes[0] = *std::min_element(least, least + lanes);
  extremes[1] = *std::max_element(greatest, greatest + lanes);
  for (; j < n; ++j) {
    extremes[0] = std::min(extremes[0], x[j]);
    extremes[1] = std::max(extremes[1], x[j]);
  }
}

}  // namespace

std::int64_t checked_bins(std::int64_t samples, std::int64_t width, std::int64_t extremes) {
  BEATSCAN_EXPECTS(samples > 0 && width > 0 && std::has_single_bit(static_cast<std::uint64_t>(width)) &&
                       extremes == 2 * ((samples + width - 1) / width),
                   "bin_ranges: bad shape");
  return extremes / 2;
}

void bin_ranges(Cpu& cpu, std::span<const float> signal, std::int64_t width, std::span<float> extremes) {
  const auto n = std::ssize(signal);
  const std::int64_t bins = checked_bins(n, width, std::ssize(extremes));
  parallel_for(cpu, bins, std::max<std::int64_t>(65536 / width, 1), [&](std::int64_t first_bin, std::int64_t last_bin) {
    for (std::int64_t bin = first_bin; bin < last_bin; ++bin)
      extremes_of(&signal[bin * width], std::min(width, n - bin * width), &extremes[2 * bin]);
  });
}

}  // namespace beatscan
