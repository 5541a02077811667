// kernels/signal/bin_ranges.h — the least and the greatest value of each bin of a signal: what a drawing of all of it
// needs.
//
//   extremes[i] = (least, greatest) of signal[j] for i width <= j < min((i + 1) width, N)
//   signal    [N]     finite, N > 0 (of -0 and 0 either may be told)
//   width             samples a bin, a power of two; the last bin may be short
//   extremes  [E][2]  E = ceil(N / width)
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

void envelope(Cpu&, std::span<const float> signal, std::int64_t width, std::span<float> extremes);
void envelope(Cuda&, std::span<const float> signal, std::int64_t width, std::span<float> extremes);

// The checks that both back ends make; returns E.
std::int64_t checked_bins(std::int64_t samples, std::int64_t width, std::int64_t extremes);

}  // namespace beatscan
