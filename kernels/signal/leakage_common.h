// kernels/signal/leakage_common.h — what both back ends of leakage.h share.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/runtime/error.h"
#include "kernels/runtime/portable.h"
#include "kernels/signal/leakage.h"

namespace beatscan {

// The window that is measured, and what its filters reach beyond it.
struct LeakageWindow {
  const float* signal;
  std::int64_t samples;
  int points, step, sharp, blunt;  // taps on either side of the middle one

  BEATSCAN_HOST_DEVICE float at(std::int64_t sample) const {
    return signal[sample < 0 ? 0 : sample < samples ? sample : samples - 1];
  }
  BEATSCAN_HOST_DEVICE int smoothed() const { return points + 2 * blunt; }  // points whose s is needed
  // Samples that are read, from this one on.
  BEATSCAN_HOST_DEVICE std::int64_t begin(std::int64_t first) const {
    return first - static_cast<std::int64_t>(blunt) * step - sharp;
  }
  BEATSCAN_HOST_DEVICE int reads() const { return (smoothed() - 1) * step + 2 * sharp + 1; }
};

// Brings a sample to 16 bits.
struct SampleToBits {
  float least, scale;
  BEATSCAN_HOST_DEVICE SampleToBits(float min, float max) : least(min), scale(max > min ? 65535 / (max - min) : 0) {}
  BEATSCAN_HOST_DEVICE std::int32_t of(float sample) const {
    return static_cast<std::int32_t>(rintf((sample - least) * scale)) - 32768;
  }
};

inline constexpr int kSharpShift = 9, kBluntShift = 12;  // sums of taps are 2^12; s keeps three bits more than q

BEATSCAN_HOST_DEVICE inline std::int64_t magnitude(std::int64_t value) { return value < 0 ? -value : value; }

BEATSCAN_HOST_DEVICE inline int lag_of(std::int64_t size, std::int64_t change, int points) {
  if (change == 0) return points / 2;
  const double lag = floor(std::numbers::pi * static_cast<double>(size) / static_cast<double>(change) + 0.5);
  return lag < 1 ? 1 : lag < points / 2 ? static_cast<int>(lag) : points / 2;
}

inline LeakageWindow checked_leakage(std::span<const float> signal, std::span<const std::int64_t> firsts, int points,
                                     const LeakageFilters& filters, std::span<Leakage> found) {
  const LeakageWindow window{
      signal.data(), static_cast<std::int64_t>(signal.size()),        points,
      filters.step,  static_cast<int>(filters.sharp_taps.size() / 2), static_cast<int>(filters.blunt_taps.size() / 2)};
  BEATSCAN_EXPECTS(!signal.empty() && firsts.size() == found.size() && points >= 4 && filters.step > 0 &&
                       filters.sharp_taps.size() % 2 == 1 && filters.blunt_taps.size() % 2 == 1 &&
                       window.smoothed() <= kMostLeakagePoints,
                   "leakage: bad shape");
  return window;
}

}  // namespace beatscan
