#include "stages/rhythm/hrv.h"

#include <cmath>

#include "kernels/runtime/parallel.h"
#include "stages/rhythm/episode_options.h"
#include "stages/rhythm/hrv_spectrum.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {
namespace {

constexpr double kJumpShare = 0.2;  // of the interval before

// Returns the measures that are no spectrum, of at least one NN.
Hrv measures_in_time(const NnIntervals& nn) {
  const std::int64_t count = std::ssize(nn.ms);
  Hrv hrv{.intervals = count};
  double sum = 0, squares = 0, changes = 0;
  for (const double ms : nn.ms) sum += ms;
  const double mean = sum / static_cast<double>(count);
  std::int64_t far = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    squares += (nn.ms[i] - mean) * (nn.ms[i] - mean);
    if (!nn.follows[i]) continue;
    const double change = nn.ms[i] - nn.ms[i - 1];
    changes += change * change;
    far += std::abs(change) > 50;
    hrv.jumps += std::abs(change) > kJumpShare * nn.ms[i - 1];
    ++hrv.pairs;
  }
  hrv.nn_s = sum / 1000;
  hrv.mean_nn_ms = mean;
  if (count > 1) hrv.sdnn_ms = std::sqrt(squares / static_cast<double>(count - 1));
  if (hrv.pairs > 0) {
    hrv.rmssd_ms = std::sqrt(changes / static_cast<double>(hrv.pairs));
    hrv.pnn50_percent = 100 * static_cast<double>(far) / static_cast<double>(hrv.pairs + 1);
  }
  return hrv;
}

}  // namespace

NnIntervals nn_intervals(const RhythmBeats& beats, const IntervalFlags& linked, const IntervalFlags& in_af) {
  auto usable = usable_intervals(beats, linked, [](BeatClass beat_class) { return beat_class == BeatClass::normal; });
  for (std::size_t i = 0; i < usable.size(); ++i) usable[i] &= !in_af[i];
  const auto places = places_of(usable);
  const std::size_t count = places.size();
  constexpr std::int64_t kGrain = 16384;  // intervals that a thread takes at a time
  NnIntervals nn{std::vector<double>(count), std::vector<double>(count), std::vector<std::uint8_t>(count)};
  parallel_for(Cpu(), std::ssize(places), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t m = first; m < last; ++m) {
      const std::int64_t i = places[m];
      nn.ms[m] = interval_of(beats, i) / beats.sample_rate_hz * 1000;
      nn.end_s[m] = beats.r_peaks[i + 1] / beats.sample_rate_hz;
      nn.follows[m] = i > 0 && usable[i - 1];
    }
  });
  return nn;
}

Hrv hrv_of(const NnIntervals& nn, std::int64_t intervals, const HrvOptions& options) {
  const std::int64_t count = std::ssize(nn.ms);
  if (count == 0) return {};
  Hrv hrv;
  NnSpectrum spectrum;
  run_together([&] { spectrum = nn_spectrum(nn, options.covered); }, [&] { hrv = measures_in_time(nn); });
  hrv.used_share = static_cast<double>(count) / static_cast<double>(intervals);
  hrv.windows = spectrum.windows;
  if (spectrum.windows > 0) {
    hrv.lf_ms2 = spectrum.lf_ms2;
    hrv.hf_ms2 = spectrum.hf_ms2;
  }
  return hrv;
}

}  // namespace beatscan
