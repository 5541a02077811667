#include "stages/rhythm/hrv_turbulence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "stages/rhythm/hrv.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {

namespace {

constexpr std::int64_t kNnBefore = 5, kNnAfter = 15;
constexpr std::size_t kLeastTachograms = 5;
constexpr double kMostCoupling = 0.8, kLeastPause = 1.2;  // of the reference interval
constexpr double kShortest_ms = 300, kLongest_ms = 2000, kMostDifference = 0.2, kMostStep_ms = 200;

// Returns whether a V with its coupling interval v - 1 and its pause v has NN of the number that is needed around it.
bool has_nn_around(const IntervalFlags& linked, const IntervalFlags& nn, std::int64_t v) {
  if (v - 1 < kNnBefore || v + kNnAfter >= std::ssize(nn) || !linked[v - 1] || !linked[v]) return false;
  const auto is_nn = [](std::uint8_t flag) { return flag == 1; };
  return std::all_of(nn.begin() + v - 1 - kNnBefore, nn.begin() + v - 1, is_nn) &&
         std::all_of(nn.begin() + v + 1, nn.begin() + v + 1 + kNnAfter, is_nn);
}

bool are_steady(std::span<const double> nn_ms, double reference_ms) {
  for (std::size_t i = 0; i < nn_ms.size(); ++i) {
    if (nn_ms[i] < kShortest_ms || nn_ms[i] > kLongest_ms) return false;
    if (std::abs(nn_ms[i] - reference_ms) > kMostDifference * reference_ms) return false;
    if (i > 0 && std::abs(nn_ms[i] - nn_ms[i - 1]) > kMostStep_ms) return false;
  }
  return true;
}

// Returns the slope of the regression line through five values in a row.
double slope_of_five(std::span<const double> values) {
  double slope = 0;
  for (int k = 0; k < 5; ++k) slope += (k - 2) * values[k] / 10;
  return slope;
}

}  // namespace

std::vector<VpcTachogram> vpc_tachograms(const RhythmBeats& beats, const IntervalFlags& linked,
                                         const IntervalFlags& nn) {
  std::vector<VpcTachogram> tachograms;
  const auto ms = [&](std::int64_t i) { return interval_of(beats, i) / beats.sample_rate_hz * 1000; };
  for (std::int64_t v = 0; v < std::ssize(beats.r_peaks); ++v) {
    if (beats.beat_classes[v] != BeatClass::ventricular || beats.quality[v] != Quality::good) continue;
    if (!has_nn_around(linked, nn, v)) continue;
    std::array<double, kNnBefore> before{};
    VpcTachogram tachogram{.time_s = beats.r_peaks[v] / beats.sample_rate_hz};
    double reference = 0;
    for (std::int64_t k = 0; k < kNnBefore; ++k) reference += (before[k] = ms(v - 1 - kNnBefore + k)) / kNnBefore;
    for (std::int64_t k = 0; k < kNnAfter; ++k) tachogram.after_ms[k] = ms(v + 1 + k);
    if (ms(v - 1) > kMostCoupling * reference || ms(v) < kLeastPause * reference) continue;
    if (!are_steady(before, reference) || !are_steady(tachogram.after_ms, reference)) continue;
    std::copy(before.end() - 2, before.end(), tachogram.before_ms.begin());
    tachograms.push_back(tachogram);
  }
  return tachograms;
}

Turbulence turbulence_of(std::span<const VpcTachogram> tachograms) {
  if (tachograms.size() < kLeastTachograms) return {};
  const auto count = static_cast<double>(tachograms.size());
  double onset = 0;
  std::array<double, kNnAfter> mean{};
  for (const auto& [time_s, before, after] : tachograms) {
    const double sum_before = before[0] + before[1];
    onset += 100 * (after[0] + after[1] - sum_before) / sum_before / count;
    for (std::int64_t k = 0; k < kNnAfter; ++k) mean[k] += after[k] / count;
  }
  double slope = slope_of_five(mean);
  for (std::int64_t k = 1; k + 5 <= kNnAfter; ++k) slope = std::max(slope, slope_of_five(std::span(mean).subspan(k)));
  return {onset, slope};
}

}  // namespace beatscan
