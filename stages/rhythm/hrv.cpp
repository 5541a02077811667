#include "stages/rhythm/hrv.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/runtime/parallel.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/episodes.h"
#include "stages/rhythm/hrv_nonlinear.h"
#include "stages/rhythm/hrv_spectrum.h"
#include "stages/rhythm/hrv_turbulence.h"
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

constexpr double kSegment_s = 300;  // of SDANN

// Returns the standard deviation of the means of the segments; nullopt of fewer than two.
std::optional<double> sdann_of(const NnIntervals& nn, double covered) {
  std::vector<double> means;
  for (std::size_t i = 0; i < nn.ms.size();) {
    const auto segment = [&](std::size_t k) { return std::floor((nn.end_s[k] - nn.from_s) / kSegment_s); };
    const double its = segment(i);
    double sum = 0;
    const std::size_t first = i;
    for (; i < nn.ms.size() && segment(i) == its; ++i) sum += nn.ms[i];
    if (sum >= covered * kSegment_s * 1000) means.push_back(sum / static_cast<double>(i - first));
  }
  return standard_deviation(means);
}

}  // namespace

std::optional<double> standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

NnIntervals nn_intervals(const RhythmBeats& beats, const IntervalFlags& linked, const IntervalFlags& in_af) {
  auto usable = usable_intervals(beats, linked, [](BeatClass beat_class) { return beat_class == BeatClass::normal; });
  for (std::size_t i = 0; i < usable.size(); ++i) usable[i] &= !in_af[i];
  const auto places = places_of(usable);
  const std::size_t count = places.size();
  constexpr std::int64_t kGrain = 16384;  // intervals that a thread takes at a time
  NnIntervals nn{.ms = std::vector<double>(count),
                 .end_s = std::vector<double>(count),
                 .follows = std::vector<std::uint8_t>(count),
                 .tachograms = vpc_tachograms(beats, linked, usable)};
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

NnIntervals nn_of_recording(const RhythmBeats& beats, const Episodes& episodes) {
  const auto af = spans_with(episodes.list, EpisodeLabel::atrial_fibrillation);
  return nn_intervals(beats, episodes.linked, intervals_in(beats, af));
}

NnIntervals nn_in(const NnIntervals& nn, std::span<const TimePart> parts) {
  NnIntervals within;
  if (!parts.empty()) within.from_s = parts.front().from_s;
  for (const TimePart& part : parts) {
    const std::size_t before = within.ms.size();
    for (auto i = std::ranges::lower_bound(nn.end_s, part.from_s) - nn.end_s.begin();
         i < std::ssize(nn.ms) && nn.end_s[i] <= part.to_s; ++i) {
      if (nn.end_s[i] - nn.ms[i] / 1000 < part.from_s) continue;
      const bool is_first = within.ms.size() == before;
      within.ms.push_back(nn.ms[i]);
      within.end_s.push_back(nn.end_s[i]);
      within.follows.push_back(!is_first && nn.follows[i]);
    }
    for (const VpcTachogram& tachogram : nn.tachograms)
      if (part.from_s <= tachogram.time_s && tachogram.time_s < part.to_s) within.tachograms.push_back(tachogram);
  }
  return within;
}

std::int64_t intervals_in_parts(const RhythmBeats& beats, std::span<const TimePart> parts) {
  std::int64_t count = 0;
  for (const TimePart& part : parts) {
    const auto first = std::ranges::lower_bound(beats.r_peaks, part.from_s * beats.sample_rate_hz);
    const auto last = std::upper_bound(first, beats.r_peaks.end(), part.to_s * beats.sample_rate_hz);
    count += std::max<std::int64_t>(last - first, 1) - 1;
  }
  return count;
}

Hrv hrv_of(const NnIntervals& nn, std::int64_t intervals, const HrvOptions& options) {
  const std::int64_t count = std::ssize(nn.ms);
  if (count == 0) return {};
  Hrv hrv;
  NnSpectrum spectrum;
  std::optional<double> alpha1, alpha2;
  run_together([&] { spectrum = nn_spectrum(nn, options.covered); }, [&] { hrv = measures_in_time(nn); },
               [&] { alpha1 = fluctuation_exponent(nn.ms, kShortBoxes); },
               [&] { alpha2 = fluctuation_exponent(nn.ms, kLongBoxes); });
  hrv.used_share = static_cast<double>(count) / static_cast<double>(intervals);
  hrv.sdann_ms = sdann_of(nn, options.covered);
  hrv.dfa_alpha1 = alpha1, hrv.dfa_alpha2 = alpha2;
  const Poincare poincare = poincare_of(nn);
  hrv.sd1_ms = poincare.sd1_ms, hrv.sd2_ms = poincare.sd2_ms;
  hrv.dc_ms = deceleration_capacity(nn);
  const Turbulence turbulence = turbulence_of(nn.tachograms);
  hrv.hrt_vpcs = std::ssize(nn.tachograms);
  hrv.hrt_onset_percent = turbulence.onset_percent, hrv.hrt_slope_ms_per_rr = turbulence.slope_ms_per_rr;
  hrv.windows = spectrum.windows;
  if (spectrum.windows > 0) {
    hrv.vlf_ms2 = spectrum.vlf_ms2;
    hrv.lf_ms2 = spectrum.lf_ms2;
    hrv.hf_ms2 = spectrum.hf_ms2;
    if (spectrum.hf_ms2 > 0) hrv.lf_hf = spectrum.lf_ms2 / spectrum.hf_ms2;
  }
  return hrv;
}

}  // namespace beatscan
