// tests/stages/windows/expected_rhythm.h — the rhythm of beats by its definition in stages/windows/rhythm.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stages/windows/rhythm.h"
#include "stages/windows/row_options.h"
#include "tests/support/expected_quantile.h"

namespace beatscan {

struct BeatsWithRhythm {
  std::vector<double> r_peaks;
  std::vector<std::uint8_t> broken, trusted;
};

// Returns beats with intervals of 80 to 119 whole samples, so that there are ties. Some intervals are not known, and
// some beats are not trusted.
inline BeatsWithRhythm random_beats(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  BeatsWithRhythm beats;
  double at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    beats.r_peaks.push_back(at += 80 + random() % 40);
    beats.trusted.push_back(random() % 8 != 0);
    if (i > 0) beats.broken.push_back(random() % 16 == 0);
  }
  return beats;
}

// Returns the nearest known intervals, up to `reach` before and `reach` after beat i.
inline std::vector<double> intervals_around(const BeatsWithRhythm& beats, std::int64_t i, std::int64_t reach) {
  std::vector<double> before, behind;
  for (std::int64_t j = i; j-- > 0 && std::ssize(before) < reach;)
    if (!beats.broken[j]) before.push_back(beats.r_peaks[j + 1] - beats.r_peaks[j]);
  for (std::int64_t j = i; j + 1 < std::ssize(beats.r_peaks) && std::ssize(behind) < reach; ++j)
    if (!beats.broken[j]) behind.push_back(beats.r_peaks[j + 1] - beats.r_peaks[j]);
  before.insert(before.end(), behind.begin(), behind.end());
  return before;
}

inline double interval(const BeatsWithRhythm& beats, std::int64_t i) {
  if (i < 0 || i + 1 >= std::ssize(beats.r_peaks) || beats.broken[i]) return std::numeric_limits<double>::quiet_NaN();
  return beats.r_peaks[i + 1] - beats.r_peaks[i];
}

inline double median_or(const std::vector<double>& values, double without) {
  return values.empty() ? without : expected_quantile(values, 0.5);
}

// Returns clip((value - median of the regular) / spread of the trusted, 0, cap), and 0 for unknown values. Without any
// known values the median is 0 and their own spread 1.
inline std::vector<double> expected_term(const std::vector<double>& values, const std::vector<std::uint8_t>& regular,
                                         const std::vector<std::uint8_t>& trusted, double typical, double cap) {
  const auto known = [&](const std::vector<std::uint8_t>& flags) {
    std::vector<double> chosen;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (flags[i] && std::isfinite(values[i])) chosen.push_back(values[i]);
    return chosen;
  };
  std::vector<double> of_trusted = known(trusted);
  const double median = median_or(known(regular), 0), centre = median_or(of_trusted, 0);
  for (double& value : of_trusted) value = std::abs(value - centre);
  const double spread = (1.4826 * median_or(of_trusted, 1 / 1.4826) + typical) / 2;
  std::vector<double> term;
  for (const double value : values)
    term.push_back(std::isfinite(value) ? std::clamp((value - median) / spread, 0.0, cap) : 0);
  return term;
}

// Returns the rhythm against one reference alone.
inline Rhythm expected_rhythm_within(const BeatsWithRhythm& beats, const RhythmOptions& options) {
  Rhythm expected;
  std::vector<double> early, late;
  for (std::int64_t i = 0; i < std::ssize(beats.r_peaks); ++i) {
    const auto around = intervals_around(beats, i, options.reference_beats);
    const double reference = expected_quantile(around, options.reference_quantile);
    const double median = expected_quantile(around, 0.5);
    const double prev = interval(beats, i - 1), next = interval(beats, i);
    expected.prev_ratio.push_back(static_cast<float>(prev / reference));
    expected.next_ratio.push_back(static_cast<float>(next / reference));
    early.push_back(std::log(reference / prev));
    late.push_back(std::log(next / reference));
    const auto is_near = [&](double rr) { return std::abs(std::log(rr / median)) <= options.regular; };
    expected.regular.push_back(beats.trusted[i] && is_near(prev) && is_near(next));
  }
  const auto trusted = static_cast<double>(std::ranges::count(beats.trusted, 1));
  if (const auto regular = std::ranges::count(expected.regular, 1);
      regular < kFewRegular || static_cast<double>(regular) < kLeastRegular * trusted) {
    auto on_time = beats.trusted;
    for (std::size_t i = 0; i < on_time.size(); ++i)
      on_time[i] &= !(std::log(expected.prev_ratio[i] / expected.next_ratio[i]) < -options.regular);
    const auto left = static_cast<double>(std::ranges::count(on_time, 1));
    std::vector<double> changes;
    for (std::size_t i = 2; i < expected.prev_ratio.size(); ++i)
      if (const double change = std::abs(1 - expected.prev_ratio[i - 2] / expected.prev_ratio[i]);
          std::isfinite(change))
        changes.push_back(change);
    const bool alternate = !changes.empty() && expected_quantile(changes, 0.5) < kAlternating;
    expected.regular = alternate && left >= 4 && left >= trusted / 4 ? on_time : beats.trusted;
  }
  early = expected_term(early, expected.regular, beats.trusted, options.typical_spread, options.cap);
  late = expected_term(late, expected.regular, beats.trusted, options.typical_spread, options.cap);
  for (std::size_t i = 0; i < early.size(); ++i)
    expected.score.push_back(static_cast<float>(options.prev_weight * early[i] + options.next_weight * late[i]));
  return expected;
}

inline Rhythm expected_rhythm(const BeatsWithRhythm& beats, RhythmOptions options) {
  Rhythm expected = expected_rhythm_within(beats, options);
  options.reference_beats = options.local_beats;
  const Rhythm local = expected_rhythm_within(beats, options);
  const auto share = static_cast<float>(options.local_share);
  for (std::size_t i = 0; i < expected.score.size(); ++i)
    expected.score[i] = (1 - share) * expected.score[i] + share * local.score[i];
  return expected;
}

}  // namespace beatscan
