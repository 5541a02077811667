// kernels/signal/bin_ranges.h — the least and the greatest value of each bin of a signal, to draw a whole recording.
//
//   extremes[i] = (least, greatest) of signal[j] for i width <= j < min((i + 1) width, N)
//   signal    [N]     finite, N > 0
//   width             samples of a bin, a power of two; the last bin may be shorter
//   extremes  [E][2]  E = ceil(N / width); on Cuda aligned to 8 bytes
// If a bin holds both -0 and 0, either may be its extreme. Another shape or width throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

void bin_ranges(Cpu&, std::span<const float> signal, std::int64_t width, std::span<float> extremes);
void bin_ranges(Cuda&, std::span<const float> signal, std::int64_t width, std::span<float> extremes);

// Makes the checks that both back ends share; returns E.
std::int64_t checked_bins(std::int64_t samples, std::int64_t width, std::int64_t extremes);

}  // namespace beatscan
