// kernels/detect/pause_powers_common.h — what both back ends of pause_powers.h share.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/detect/pause_powers.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// The samples of each pause.
struct Pauses {
  const double* r_peaks;
  const std::uint8_t* broken;
  std::int64_t samples, half;  // N, T / 2
  Pause pause;

  struct Samples {
    std::int64_t first, last;  // [first, last)
  };
  BEATSCAN_HOST_DEVICE Samples of(std::int64_t i) const {
    const double begin = ceil(r_peaks[i] + pause.after), end = ceil(r_peaks[i + 1] - pause.before);
    const std::int64_t first = begin > half ? static_cast<std::int64_t>(begin) : half,
                       last = end < samples - half ? static_cast<std::int64_t>(end) : samples - half;
    return {first, broken[i] || last < first ? first : last};
  }
};

inline Pauses checked_pauses(std::span<const float> signal, std::span<const double> r_peaks,
                             std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                             std::span<double> powers, std::span<std::int32_t> lengths) {
  BEATSCAN_EXPECTS(!r_peaks.empty() && broken.size() + 1 == r_peaks.size() && powers.size() == broken.size() &&
                       lengths.size() == broken.size() && taps.size() % 2 == 1 && taps.size() <= kMostPauseTaps &&
                       pause.after >= 0 && pause.before >= 0,
                   "pause_powers: bad shape");
  return {r_peaks.data(), broken.data(), std::ssize(signal), std::ssize(taps) / 2, pause};
}

}  // namespace beatscan
