#include "kernels/signal/peaks.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

// Computes a sliding maximum by van Herk's method. The signal is cut into blocks as long as a window. A window's
// maximum is then the larger of a suffix maximum of its first block and a prefix maximum of the next. A thread's range
// starts on a word, so no two threads write the same word.
template <class Real>
void mark_window_peaks(Cpu& cpu, std::span<const Real> x, int window, std::span<std::uint32_t> words) {
  BEATSCAN_EXPECTS(1 <= window && window <= kMaxPeakWindow, "mark_window_peaks: bad window");
  const std::int64_t positions = window_positions(std::ssize(x), window);
  BEATSCAN_EXPECTS(std::ssize(words) == words_for(positions), "mark_window_peaks: words do not fit the positions");
  std::ranges::fill(words, 0u);
  parallel_for(cpu, std::ssize(words), 1024, [&](std::int64_t first_word, std::int64_t last_word) {
    std::vector<Real> suffix(window);
    const std::int64_t last = std::min(last_word * 32, positions);
    for (std::int64_t block = first_word * 32; block < last; block += window) {
      suffix[window - 1] = x[block + window - 1];
      for (int i = window - 2; i >= 0; --i) suffix[i] = std::max(suffix[i + 1], x[block + i]);
      Real maximum = suffix[0];
      for (std::int64_t p = block, end = std::min(block + window, last); p < end; ++p) {
        if (p > block) {  // the window has gained x[p + window - 1], its newest sample of the next block
          const Real newest = x[p + window - 1];
          maximum = p == block + 1 ? newest : std::max(maximum, newest);
        }
        const Real window_maximum = p == block ? suffix[0] : std::max(maximum, suffix[p - block]);
        if (window_maximum == x[p + window / 2]) words[p / 32] |= 1u << (p % 32);
      }
    }
  });
}

template void mark_window_peaks(Cpu&, std::span<const float>, int, std::span<std::uint32_t>);
template void mark_window_peaks(Cpu&, std::span<const double>, int, std::span<std::uint32_t>);

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
