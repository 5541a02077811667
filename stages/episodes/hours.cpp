#include "stages/episodes/hours.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kHour = 3600;

// Adds the seconds of each hour that lie in the spans.
void add_seconds(std::vector<HourFacts>& hours, const std::vector<TimeSpan>& spans, double rate_hz,
                 double HourFacts::*target) {
  for (const TimeSpan& span : spans) {
    const double start = span.start / rate_hz, end = span.end / rate_hz;
    for (auto h = static_cast<std::int64_t>(start / kHour); h < std::ssize(hours) && hours[h].from_s < end; ++h)
      hours[h].*target += std::min(end, hours[h].from_s + kHour) - std::max(start, hours[h].from_s);
  }
}

double seconds_of(const std::vector<TimeSpan>& spans, double rate_hz) {
  double samples = 0;
  for (const TimeSpan& span : spans) samples += span.end - span.start;
  return samples / rate_hz;
}

}  // namespace

std::vector<HourFacts> hours_of(const RhythmBeats& beats, const Episodes& episodes, double samples) {
  const double rate_hz = beats.sample_rate_hz;
  const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(samples / rate_hz / kHour)), 1);
  std::vector<HourFacts> hours(count);
  std::vector<std::vector<double>> intervals(count);
  for (std::int64_t h = 0; h < count; ++h) hours[h].from_s = kHour * static_cast<double>(h);
  for (std::int64_t i = 0; i < std::ssize(beats.r_peaks); ++i) {
    const auto h =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(beats.r_peaks[i] / rate_hz / kHour), 0, count - 1);
    ++hours[h].beats;
    ++hours[h].kinds[static_cast<int>(beats.kinds[i])];
    if (i > 0 && episodes.linked[i - 1]) intervals[h].push_back(interval_of(beats, i - 1));
  }
  run_parts(count, [&](std::int64_t h) {
    if (!intervals[h].empty()) hours[h].rate_bpm = 60 * rate_hz / quantile(intervals[h], 0.5);
  });
  add_seconds(hours, spans_with(episodes.list, EpisodeLabel::atrial_fibrillation), rate_hz, &HourFacts::afib_s);
  add_seconds(hours, episodes.af_told, rate_hz, &HourFacts::told_s);
  return hours;
}

AfBurden burden_of(const Episodes& episodes, double sample_rate_hz) {
  return {seconds_of(spans_with(episodes.list, EpisodeLabel::atrial_fibrillation), sample_rate_hz),
          seconds_of(episodes.af_told, sample_rate_hz)};
}

}  // namespace beatscan
