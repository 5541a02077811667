#include "stages/rhythm.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/check.h"
#include "kernels/parallel.h"
#include "stages/robust.h"
#include "stages/sorted_window.h"

namespace beatscan {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Of values in order, of which there may be none.
double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return kUnknown;
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double low = sorted[below], high = sorted[std::min(below + 1, sorted.size() - 1)];
  return low + (place - static_cast<double>(below)) * (high - low);
}

// Intervals that are known, and for each beat how many of them lie before it.
struct KnownIntervals {
  std::vector<double> rr;
  std::vector<std::int64_t> before;
};

KnownIntervals known_intervals(std::span<const double> r_peaks, std::span<const std::uint8_t> broken) {
  KnownIntervals known;
  known.rr.reserve(r_peaks.size());
  known.before.reserve(r_peaks.size());
  for (std::size_t i = 0; i < r_peaks.size(); ++i) {
    known.before.push_back(std::ssize(known.rr));
    if (i + 1 < r_peaks.size() && !broken[i]) known.rr.push_back(r_peaks[i + 1] - r_peaks[i]);
  }
  return known;
}

// Median of the regular beats, spread of all trusted ones.
RobustScale scale_of(const std::vector<double>& values, const std::vector<std::int64_t>& regular,
                     const std::vector<std::int64_t>& trusted, double typical_spread) {
  auto of_regular = values_at(values, regular);
  const double median = of_regular.empty() ? 0 : quantile(of_regular, 0.5);
  return {median, blended_scale(values_at(values, trusted), typical_spread).scale};
}

float positive_part(const RobustScale& scale, double value, double cap) {
  return std::isfinite(value) ? static_cast<float>(std::clamp(scale.z(value), 0.0, cap)) : 0.0f;
}

}  // namespace

Rhythm rhythm_of(const Cpu& cpu, std::span<const double> r_peaks, std::span<const std::uint8_t> broken,
                 const std::vector<std::uint8_t>& trusted, const RhythmOptions& options) {
  const auto beats = std::ssize(r_peaks);
  BEATSCAN_EXPECTS(std::ssize(broken) + 1 == std::max<std::int64_t>(beats, 1) && std::ssize(trusted) == beats,
                   "rhythm_of: bad shape");
  const auto known = known_intervals(r_peaks, broken);
  Rhythm rhythm{std::vector<float>(beats), std::vector<float>(beats), std::vector<float>(beats),
                std::vector<std::uint8_t>(beats)};
  std::vector<double> early(beats, kUnknown), late(beats, kUnknown);  // -log(prev ratio), log(next ratio)
  const double tolerance = std::exp(options.regular);
  parallel_for(cpu, beats, 2048, [&](std::int64_t first, std::int64_t last) {
    SortedWindow<double> window(known.rr);
    for (std::int64_t i = first; i < last; ++i) {
      window.move_to(std::max<std::int64_t>(known.before[i] - options.reference_beats, 0),
                     std::min(known.before[i] + options.reference_beats, std::ssize(known.rr)));
      const double reference = quantile_of_sorted(window.sorted(), options.reference_quantile);
      const double median = quantile_of_sorted(window.sorted(), 0.5);
      const double prev = i > 0 && !broken[i - 1] ? r_peaks[i] - r_peaks[i - 1] : kUnknown;
      const double next = i + 1 < beats && !broken[i] ? r_peaks[i + 1] - r_peaks[i] : kUnknown;
      early[i] = -std::log(prev / reference);
      late[i] = std::log(next / reference);
      rhythm.prev_ratio[i] = static_cast<float>(prev / reference);
      rhythm.next_ratio[i] = static_cast<float>(next / reference);
      const auto near_median = [&](double rr) { return rr >= median / tolerance && rr <= median * tolerance; };
      rhythm.regular[i] = trusted[i] && near_median(prev) && near_median(next);
    }
  });
  if (std::ranges::count(rhythm.regular, 1) < kFewRegular) rhythm.regular = trusted;
  const auto regular_places = sample_places(rhythm.regular), trusted_places = sample_places(trusted);
  const RobustScale early_scale = scale_of(early, regular_places, trusted_places, options.typical_spread);
  const RobustScale late_scale = scale_of(late, regular_places, trusted_places, options.typical_spread);
  parallel_for(cpu, beats, 16384, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      rhythm.score[i] = static_cast<float>(options.prev_weight) * positive_part(early_scale, early[i], options.cap) +
                        static_cast<float>(options.next_weight) * positive_part(late_scale, late[i], options.cap);
  });
  return rhythm;
}

}  // namespace beatscan
