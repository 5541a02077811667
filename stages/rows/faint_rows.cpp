#include "stages/rows/faint_rows.h"

#include <algorithm>

#include "stages/beats/faint.h"

namespace beatscan {
namespace {

constexpr double kNearWave_s = 0.1;     // an R peak is no farther from the maximum of its envelope
constexpr double kMostFaint = 0.5;      // share of the beats
constexpr std::int64_t kFewInARow = 3;  // faint beats
constexpr double kLongRow_s = 4;

// Returns the wave of each beat, a blunt one if there is one; null where it has none.
std::vector<const FaintWave*> waves_of_beats(std::span<const FaintWave> waves, std::span<const double> r_peaks,
                                             double near_samples) {
  std::vector<const FaintWave*> found;
  std::size_t w = 0;
  for (const double peak : r_peaks) {
    while (w < waves.size() && static_cast<double>(waves[w].at) < peak - near_samples) ++w;
    const FaintWave* its = nullptr;
    for (std::size_t i = w; i < waves.size() && static_cast<double>(waves[i].at) <= peak + near_samples; ++i)
      if (!its || (waves[i].is_blunt && !its->is_blunt)) its = &waves[i];
    found.push_back(its);
  }
  return found;
}

}  // namespace

std::vector<FaintRow> faint_rows(std::span<const FaintWave> waves, std::span<const double> r_peaks,
                                 std::int64_t samples, double rate_hz) {
  std::vector<FaintRow> found;
  if (waves.empty()) return found;
  const auto of_beat = waves_of_beats(waves, r_peaks, kNearWave_s * rate_hz);
  const auto count = std::ssize(of_beat);
  const auto faint = std::ranges::count_if(of_beat, [](const FaintWave* wave) { return wave && wave->is_faint; });
  const bool is_rare = static_cast<double>(faint) <= kMostFaint * static_cast<double>(count);
  const auto is_in_doubt = [&](std::int64_t i) { return of_beat[i] && (of_beat[i]->is_blunt || is_rare); };
  for (std::int64_t first = 0, last = 0; first < count; first = last + 1) {
    for (last = first; last < count && is_in_doubt(last);) ++last;
    const double from = first > 0 ? r_peaks[first - 1] : 0,
                 to = last < count ? r_peaks[last] : static_cast<double>(samples);
    if (last - first >= kFewInARow && to - from >= kLongRow_s * rate_hz) found.push_back({first, last});
  }
  return found;
}

}  // namespace beatscan
