// kernels/signal/peaks.h — peaks of a signal, and the range of each bin.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/lists/bits.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// One-dimensional non-maximum suppression, as the published pipeline defines it.
//   position p is in the set  iff  max(x[p .. p + window - 1]) == x[p + window / 2]
// All positions of a plateau are in the set; the caller takes the first of each run (Pick::run_firsts).

inline constexpr int kMaxPeakWindow = 1 << 16;

// Returns the number of positions that have a whole window: 0 .. n - window.
inline std::int64_t window_positions(std::int64_t n, int window) { return n < window ? 0 : n - window + 1; }

// Marks the peaks. A wrong shape or window throws ErrorKind::internal.
//   x       [N] finite; Real is float or double
//   window  1 .. kMaxPeakWindow samples
//   words   [words_for(window_positions(N, window))]
template <class Real>
void mark_window_peaks(Cpu&, std::span<const Real> x, int window, std::span<std::uint32_t> words);
template <class Real>
void mark_window_peaks(Cuda&, std::span<const Real> x, int window, std::span<std::uint32_t> words);

// The least and the greatest value of each bin of a signal, to draw a whole recording.
//
//   extremes[i] = (least, greatest) of signal[j] for i width <= j < min((i + 1) width, N)
//   signal    [N]     finite, N > 0
//   width             samples of a bin, a power of two; the last bin may be shorter
//   extremes  [E][2]  E = ceil(N / width); on Cuda aligned to 8 bytes
// If a bin holds both -0 and 0, either may be its extreme. Another shape or width throws ErrorKind::internal.

void bin_ranges(Cpu&, std::span<const float> signal, std::int64_t width, std::span<float> extremes);
void bin_ranges(Cuda&, std::span<const float> signal, std::int64_t width, std::span<float> extremes);

// Makes the checks that both back ends share; returns E.
std::int64_t checked_bins(std::int64_t samples, std::int64_t width, std::int64_t extremes);

}  // namespace beatscan
