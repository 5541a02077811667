#include "stages/waves/wave_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/lists/sorted_window.h"
#include "kernels/runtime/parallel.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/local_averages.h"
#include "stages/common/robust.h"
#include "stages/waves/waves.h"

namespace beatscan {

WaveIntervals wave_intervals(std::span<const float> fiducials) {
  constexpr float kMsAValue = 1000 / static_cast<float>(waves::kValuesHz);
  const float onset = fiducials[waves::kQrsOnset];
  return {.pr = kMsAValue * (onset - fiducials[waves::kPOnset]),
          .qrs = kMsAValue * (fiducials[waves::kQrsOffset] - onset),
          .qt = kMsAValue * (fiducials[waves::kTOffset] - onset)};
}

std::vector<double> local_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz) {
  constexpr std::int64_t kGrain = 4096;
  const std::int64_t beats = std::ssize(r_peaks);
  std::vector<double> known, local(beats);
  std::vector<std::int64_t> before(beats);  // how many of the intervals before the one that beat k begins are known
  for (std::int64_t k = 0; k < beats; ++k) {
    before[k] = std::ssize(known);
    if (k + 1 < beats && !broken[k]) known.push_back((r_peaks[k + 1] - r_peaks[k]) / rate_hz);
  }
  parallel_for(Cpu(), beats, kGrain, [&](std::int64_t begin, std::int64_t end) {
    SortedWindow near(known);
    for (std::int64_t i = begin; i < end; ++i) {
      near.move_to(before[std::max<std::int64_t>(i - waves::kAverageReach, 0)],
                   before[std::min<std::int64_t>(i + waves::kAverageReach, beats - 1)]);
      local[i] =
          near.sorted().empty() ? std::numeric_limits<double>::quiet_NaN() : quantile_of_sorted(near.sorted(), 0.5);
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

namespace {

constexpr double kHourS = 3600, kMinuteS = 60;

double median_of(std::vector<double>& values, std::int64_t least) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (std::ssize(values) < least) return std::numeric_limits<double>::quiet_NaN();
  return quantile(values, 0.5);
}

// Returns the median of what a function returns for each of some beats.
template <class Value>
double median_over(std::span<const std::int64_t> beats, const Value& value, std::int64_t least = kLeastMeasured) {
  std::vector<double> values;
  values.reserve(beats.size());
  for (const std::int64_t beat : beats) values.push_back(value(beat));
  return median_of(values, least);
}

IntervalMedians medians_of(const BeatWaves& waves, std::span<const std::int64_t> beats) {
  const auto intervals = [&](std::int64_t beat) { return wave_intervals(waves.fiducials_of(beat)); };
  IntervalMedians medians{.beats = std::ssize(beats)};
  medians.pr = median_over(beats, [&](std::int64_t beat) { return intervals(beat).pr; });
  medians.qrs = median_over(beats, [&](std::int64_t beat) { return intervals(beat).qrs; });
  medians.qt = median_over(beats, [&](std::int64_t beat) { return intervals(beat).qt; });
  medians.qtc = median_over(beats, [&](std::int64_t beat) { return waves.qtc_ms[beat]; });
  const auto with_p = std::ranges::count_if(
      beats, [&](std::int64_t beat) { return !std::isnan(waves.fiducials_of(beat)[waves::kPOnset]); });
  medians.p_share = beats.empty() ? std::numeric_limits<double>::quiet_NaN()
                                  : static_cast<double>(with_p) / static_cast<double>(beats.size());
  for (std::size_t l = 0; l < waves.leads.size(); ++l)
    medians.st_mv.push_back(median_over(beats, [&](std::int64_t beat) {
      return waves.lead_amplitudes[(l * waves.beats() + beat) * waves::kAmplitudes + waves::kStLevel];
    }));
  return medians;
}

// Returns for each part of so many seconds the beats in it.
std::vector<std::vector<std::int64_t>> in_parts(std::span<const std::int64_t> beats, std::span<const double> r_peaks,
                                                double sample_rate_hz, std::int64_t samples, double part_s) {
  const double part = part_s * sample_rate_hz;
  std::vector<std::vector<std::int64_t>> parts(
      static_cast<std::size_t>(std::ceil(static_cast<double>(samples) / part)));
  for (const std::int64_t beat : beats) {
    const auto place = static_cast<std::size_t>(std::max(r_peaks[beat], 0.0) / part);
    parts[std::min(place, parts.size() - 1)].push_back(beat);
  }
  return parts;
}

std::optional<LongestQtc> longest_of(const BeatWaves& waves, const std::vector<std::vector<std::int64_t>>& minutes) {
  std::optional<LongestQtc> longest;
  for (std::size_t m = 0; m < minutes.size(); ++m) {
    const double qtc_ms = median_over(
        minutes[m], [&](std::int64_t beat) { return waves.qtc_ms[beat]; }, kLeastOfMinute);
    if (!std::isnan(qtc_ms) && (!longest || qtc_ms > longest->qtc_ms))
      longest = {qtc_ms, kMinuteS * static_cast<double>(m)};
  }
  return longest;
}

}  // namespace

WaveSummary summary_of(const BeatWaves& waves, std::span<const double> r_peaks, std::span<const std::uint8_t> counting,
                       double sample_rate_hz, std::int64_t samples) {
  std::vector<std::int64_t> beats;
  for (std::int64_t beat = 0; beat < waves.beats(); ++beat)
    if (counting[beat]) beats.push_back(beat);
  WaveSummary summary{.all = medians_of(waves, beats), .hours = {}, .longest_qtc = {}};
  if (samples <= 0) return summary;
  for (const auto& hour : in_parts(beats, r_peaks, sample_rate_hz, samples, kHourS))
    summary.hours.push_back(medians_of(waves, hour));
  for (const auto& wave : waves.non_conducted) {
    const auto hour = static_cast<std::size_t>(std::max(wave.onset, 0.0) / (kHourS * sample_rate_hz));
    ++summary.hours[std::min(hour, summary.hours.size() - 1)].non_conducted;
    ++summary.all.non_conducted;
  }
  summary.longest_qtc = longest_of(waves, in_parts(beats, r_peaks, sample_rate_hz, samples, kMinuteS));
  return summary;
}

}  // namespace beatscan
