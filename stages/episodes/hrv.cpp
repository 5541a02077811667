#include "stages/episodes/hrv.h"

#include <cmath>

#include "stages/episodes/hrv_spectrum.h"

namespace beatscan {

NnIntervals nn_intervals(const RhythmBeats& beats, const IntervalFlags& linked, const IntervalFlags& in_af) {
  const auto usable = usable_intervals(beats, linked, [](Kind kind) { return kind == Kind::normal; });
  NnIntervals nn;
  nn.ms.reserve(usable.size());
  nn.end_s.reserve(usable.size());
  nn.follows.reserve(usable.size());
  std::int64_t before = -2;
  for (std::int64_t i = 0; i < std::ssize(usable); ++i) {
    if (!usable[i] || in_af[i]) continue;
    nn.ms.push_back(interval_of(beats, i) / beats.sample_rate_hz * 1000);
    nn.end_s.push_back(beats.r_peaks[i + 1] / beats.sample_rate_hz);
    nn.follows.push_back(before == i - 1);
    before = i;
  }
  return nn;
}

Hrv hrv_of(const NnIntervals& nn, std::int64_t intervals, const HrvOptions& options) {
  const std::int64_t count = std::ssize(nn.ms);
  Hrv hrv{.intervals = count};
  if (count == 0) return hrv;
  hrv.used_share = static_cast<double>(count) / static_cast<double>(intervals);
  double sum = 0, squares = 0, changes = 0;
  for (const double ms : nn.ms) sum += ms;
  const double mean = sum / static_cast<double>(count);
  std::int64_t pairs = 0, far = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    squares += (nn.ms[i] - mean) * (nn.ms[i] - mean);
    if (!nn.follows[i]) continue;
    const double change = nn.ms[i] - nn.ms[i - 1];
    changes += change * change;
    far += std::abs(change) > 50;
    ++pairs;
  }
  hrv.nn_s = sum / 1000;
  hrv.mean_nn_ms = mean;
  if (count > 1) hrv.sdnn_ms = std::sqrt(squares / static_cast<double>(count - 1));
  if (pairs > 0) {
    hrv.rmssd_ms = std::sqrt(changes / static_cast<double>(pairs));
    hrv.pnn50_percent = 100 * static_cast<double>(far) / static_cast<double>(pairs + 1);
  }
  const NnSpectrum spectrum = nn_spectrum(nn, options.covered);
  hrv.windows = spectrum.windows;
  if (spectrum.windows > 0) {
    hrv.lf_ms2 = spectrum.lf_ms2;
    hrv.hf_ms2 = spectrum.hf_ms2;
  }
  return hrv;
}

}  // namespace beatscan
