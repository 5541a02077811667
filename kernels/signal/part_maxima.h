// kernels/signal/part_maxima.h — the largest value of each short part of a signal, and of neighbouring parts.
//
//   maxima[i] = largest x[j] for (first + i) width <= j < min((first + i + 1) width, samples of the signal)
//   x       part of a signal; it holds the samples that are named above
//   width   samples of a part; the signal's last part may be shorter
//   first   the part that maxima[0] is of
// Another shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

void part_maxima(Cpu&, const SignalPart& x, int width, std::int64_t first, std::span<float> maxima);
void part_maxima(Cuda&, const SignalPart& x, int width, std::int64_t first, std::span<float> maxima);

// largest[k] = the largest of parts[places[k] - 1] to parts[places[k] + 1]. Parts that do not exist are left out; where
// none exists, it is 0.
//   parts    [P] 0 or more
//   places   [K] numbers of parts
//   largest  [K]
void largest_beside(Cpu&, std::span<const float> parts, std::span<const std::int64_t> places, std::span<float> largest);
void largest_beside(Cuda&, std::span<const float> parts, std::span<const std::int64_t> places,
                    std::span<float> largest);

// Returns how many parts a signal of n samples has.
inline std::int64_t parts_for(std::int64_t n, int width) { return (n + width - 1) / width; }

}  // namespace beatscan
