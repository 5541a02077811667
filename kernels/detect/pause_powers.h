// kernels/detect/pause_powers.h — measures the signal between beats, where a clean lead is almost isoelectric.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostPauseTaps = 1025;

// The pause after an R peak reaches from `after` samples after it to `before` samples before the next one.
struct Pause {
  double after, before;  // 0 or more
};

// Measures the filtered signal in the pause after each R peak but the last.
//   powers[i]  = sum over the samples p of pause i of (sum over j of taps[j] signal[p + T / 2 - j])^2
//   lengths[i] = number of these samples
// An invalid RR interval has no pause, and samples within T / 2 of the ends of the signal belong to no pause.
//   signal   [N] finite
//   r_peaks  [K] samples, ascending
//   broken   [K - 1] 1 if samples are missing or flat between R peak i and the next
//   taps     [T] on the host, T odd, T <= kMostPauseTaps
//   powers, lengths  [K - 1]
// A wrong shape throws ErrorKind::internal.
void pause_powers(Cpu&, std::span<const float> signal, std::span<const double> r_peaks,
                  std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                  std::span<double> powers, std::span<std::int32_t> lengths);
void pause_powers(Cuda&, std::span<const float> signal, std::span<const double> r_peaks,
                  std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                  std::span<double> powers, std::span<std::int32_t> lengths);

}  // namespace beatscan
