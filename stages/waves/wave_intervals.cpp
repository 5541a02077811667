#include "stages/waves/wave_intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/runtime/parallel.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/local_averages.h"
#include "stages/common/robust.h"

namespace beatscan {

WaveIntervals wave_intervals(std::span<const float> fiducials) {
  constexpr float kMsAValue = 1000 / static_cast<float>(waves::kValuesHz);
  const float onset = fiducials[waves::kQrsOnset];
  return {.pr = kMsAValue * (onset - fiducials[waves::kPOnset]),
          .qrs = kMsAValue * (fiducials[waves::kQrsOffset] - onset),
          .qt = kMsAValue * (fiducials[waves::kTOffset] - onset)};
}

std::vector<double> local_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz) {
  const std::int64_t beats = std::ssize(r_peaks);
  std::vector<double> local(beats);
  parallel_for(Cpu(), beats, 1024, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> near;
    for (std::int64_t i = begin; i < end; ++i) {
      near.clear();
      const std::int64_t last = std::min<std::int64_t>(i + waves::kAverageReach, beats - 1);
      for (std::int64_t k = std::max<std::int64_t>(i - waves::kAverageReach, 0); k < last; ++k)
        if (!broken[k]) near.push_back((r_peaks[k + 1] - r_peaks[k]) / rate_hz);
      local[i] = near.empty() ? std::numeric_limits<double>::quiet_NaN() : quantile(near, 0.5);
    }
  });
  return local;
}

double corrected_qt(double qt_ms, double rr_s, QtCorrection correction) {
  if (!(rr_s > 0)) return std::numeric_limits<double>::quiet_NaN();
  switch (correction) {
    case QtCorrection::bazett:
      return qt_ms / std::sqrt(rr_s);
    case QtCorrection::fridericia:
      return qt_ms / std::cbrt(rr_s);
    case QtCorrection::framingham:
      return qt_ms + 154 * (1 - rr_s);
    case QtCorrection::hodges:
      return qt_ms + 1.75 * (60 / rr_s - 60);
  }
  return qt_ms;
}

}  // namespace beatscan
