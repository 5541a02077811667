// kernels/signal/parts.h — parts of a signal: limits, maxima, unchanging runs and strips.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

// clamped[i] = signal[i], but low where it is below low and high where it is above high. A wrong shape, or low > high,
// throws ErrorKind::internal.
//   signal, clamped  [N]
void clamp(Cpu&, std::span<const float> signal, float low, float high, std::span<float> clamped);
void clamp(Cuda&, std::span<const float> signal, float low, float high, std::span<float> clamped);

// The largest value of each short part of a signal, and of neighbouring parts.
//
//   maxima[i] = largest x[j] for (first + i) width <= j < min((first + i + 1) width, samples of the signal)
//   x       part of a signal; it holds the samples that are named above
//   width   samples of a part; the signal's last part may be shorter
//   first   the part that maxima[0] is of
// Another shape throws ErrorKind::internal.

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

// Marks the first and the last sample of each stretch of `least` >= 2 or more equal samples. A wrong shape throws
// ErrorKind::internal.
//   x              [N]
//   firsts, lasts  [words_for(N)] sets of positions (bits.h), in which no bit is set yet
void mark_still(Cpu&, std::span<const float> x, std::int64_t least, std::span<std::uint32_t> firsts,
                std::span<std::uint32_t> lasts);
void mark_still(Cuda&, std::span<const float> x, std::int64_t least, std::span<std::uint32_t> firsts,
                std::span<std::uint32_t> lasts);

// Cuts a few stretches out of a long array.
//
//   strips[k][j] = values[firsts[k] + j], NaN if that is before the first or after the last value
//   values  [N]
//   firsts  [K]     may be below 0 and above N
//   strips  [K][S]
// A wrong shape throws ErrorKind::internal.

void cut_strips(Cpu&, std::span<const float> values, std::span<const std::int64_t> firsts, std::span<float> strips);
void cut_strips(Cuda&, std::span<const float> values, std::span<const std::int64_t> firsts, std::span<float> strips);

}  // namespace beatscan
