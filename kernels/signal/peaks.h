// kernels/signal/peaks.h — one-dimensional non-maximum suppression, as the published pipeline defines it.
//   position p is in the set  iff  max(x[p .. p + window - 1]) == x[p + window / 2]
// All positions of a plateau are in the set; the caller takes the first of each run (Pick::run_firsts).
#pragma once

#include <cstdint>
#include <span>

#include "kernels/lists/bits.h"
#include "kernels/runtime/context.h"

namespace beatscan {

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

}  // namespace beatscan
