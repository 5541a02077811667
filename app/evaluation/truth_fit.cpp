#include "app/evaluation/truth_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "app/common/numbers.h"
#include "app/evaluation/evaluate.h"
#include "app/evaluation/match_beats.h"
#include "app/evaluation/truth.h"
#include "stages/common/counted.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFewest = 10;  // beats needed for a conclusion about the whole
constexpr double kOutside = 0.1;      // share of the detected beats
constexpr double kLowF1 = 0.5, kMostMatch = 0.8;
constexpr double kLongest_s = 1, kBin_s = 0.01;
// In a tenth of cases, beats of another recording come this close to each other by chance.
constexpr double kSame_s = 0.05;

// Counts the beats that no reference beat can match, because they lie outside of the annotated part.
std::optional<std::string> warning_of_part(std::span<const ReferenceBeat> reference,
                                           std::span<const DetectedBeat> detected, const DetectionQuality& quality,
                                           double rate_hz) {
  const double first = static_cast<double>(reference.front().sample),
               last = static_cast<double>(reference.back().sample);
  const double reach = quality.tolerance_ms * rate_hz / 1000;
  const auto outside = std::ranges::count_if(detected, [&](const DetectedBeat& beat) {
    const auto sample = static_cast<double>(beat.sample);
    return sample < first - reach || sample > last + reach;
  });
  if (outside < kFewest || static_cast<double>(outside) < kOutside * static_cast<double>(std::ssize(detected)))
    return std::nullopt;
  return "its beats range from " + fixed(first / rate_hz, 1) + " to " + fixed(last / rate_hz, 1) + " s, and " +
         std::to_string(outside) + " of " + counted(std::ssize(detected), "beat") +
         " detected before or after these count as false";
}

// Returns the most frequent delay, in samples, of a detected beat after a reference beat.
std::int64_t usual_delay(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                         double rate_hz) {
  const auto longest = static_cast<std::int64_t>(kLongest_s * rate_hz);
  const auto bin = std::max<std::int64_t>(std::llround(kBin_s * rate_hz), 1), bins = 2 * longest / bin + 1;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins + 2));  // with an empty one on either side
  std::size_t begin = 0;
  for (const ReferenceBeat& beat : reference) {
    while (begin < detected.size() && detected[begin].sample < beat.sample - longest) ++begin;
    for (auto i = begin; i < detected.size() && detected[i].sample <= beat.sample + longest; ++i)
      ++counts[static_cast<std::size_t>((detected[i].sample - beat.sample + longest) / bin + 1)];
  }
  std::int64_t first = 1, last = 1, most = -1;  // where most delays lie; the middle of equal bins
  for (std::int64_t i = 1; i <= bins; ++i) {
    const auto at = counts.begin() + i;
    const std::int64_t near = at[-1] + at[0] + at[1];
    if (near > most) most = near, first = last = i;
    if (near == most && i - first <= 2) last = i;
  }
  return (first + last - 2) * bin / 2 + bin / 2 - longest;
}

std::optional<std::string> warning_of_match(std::span<const ReferenceBeat> reference,
                                            std::span<const DetectedBeat> detected, const DetectionQuality& quality,
                                            double rate_hz) {
  if (quality.f1.value_or(1) >= kLowF1 || std::ssize(reference) < kFewest) return std::nullopt;
  const std::int64_t delay = usual_delay(reference, detected, rate_hz);
  std::vector<std::int64_t> shifted, found;
  for (const ReferenceBeat& beat : reference) shifted.push_back(beat.sample + delay);
  for (const DetectedBeat& beat : detected) found.push_back(beat.sample);
  const auto same = static_cast<std::int64_t>(kSame_s * rate_hz);
  const auto matched =
      std::ranges::count_if(match_beats(shifted, found, same), [](const auto& beat) { return !!beat; });
  const double share = static_cast<double>(matched) / static_cast<double>(std::ssize(reference));
  const std::string few =
      "only " + std::to_string(quality.tp) + " of " + counted(std::ssize(reference), "beat") + " match";
  if (share < kMostMatch || matched <= quality.tp) {
    if (2 * quality.tp >= std::ssize(reference)) return std::nullopt;
    return few + ": it may be that of another recording, or noise hides the beats";
  }
  const double delay_s = static_cast<double>(delay) / rate_hz;
  return few + ", and " + std::to_string(matched) + " would if all came " + fixed(std::abs(delay_s), 2) + " s " +
         (delay_s > 0 ? "later" : "earlier") + ": its times may count from another start";
}

}  // namespace

std::vector<std::string> fit_warnings(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                                      const DetectionQuality& quality, double sample_rate_hz,
                                      const std::filesystem::path& path) {
  std::vector<std::string> warnings;
  if (reference.empty() || detected.empty()) return warnings;
  for (const auto& warning : {warning_of_part(reference, detected, quality, sample_rate_hz),
                              warning_of_match(reference, detected, quality, sample_rate_hz)})
    if (warning) warnings.push_back(path.string() + ": " + *warning);
  return warnings;
}

}  // namespace beatscan
