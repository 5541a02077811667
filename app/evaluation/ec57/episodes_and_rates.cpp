#include "app/evaluation/ec57/episodes_and_rates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/common/small_csv.h"
#include "app/evaluation/beat_quality.h"
#include "stages/rhythm/episode.h"

namespace beatscan::ec57 {
namespace {

enum class Change { none, start, end };

// Returns the episodes within the period. `change_of` says what an annotation begins or ends.
template <class ChangeOf>
std::vector<TimeSpan> spans_of(std::span<const Annotation> annotations, const Period& period, ChangeOf&& change_of) {
  std::vector<TimeSpan> spans;
  std::optional<std::int64_t> open;
  const auto close = [&](std::int64_t end) {
    const auto start = std::max(*std::exchange(open, std::nullopt), period.start);
    end = std::min(end, period.end);
    if (end > start) spans.push_back({static_cast<double>(start), static_cast<double>(end)});
  };
  for (const Annotation& mark : annotations) {
    const Change change = change_of(mark);
    if (change == Change::start && !open) open = mark.sample;
    if (change == Change::end && open) close(mark.sample);
  }
  if (open) close(period.end);
  return spans;
}

Change af_change(const Annotation& mark) {
  if (mark.symbol != '+' || mark.note.empty()) return Change::none;
  return mark.note.starts_with("(AFIB") ? Change::start : Change::end;
}

Change vf_change(const Annotation& mark) {
  return mark.symbol == '[' ? Change::start : mark.symbol == ']' ? Change::end : Change::none;
}

}  // namespace

EpisodeQuality compare_atrial_fibrillation(std::span<const Annotation> reference, std::span<const Annotation> test,
                                           const Period& period) {
  return compare_spans(spans_of(reference, period, af_change), spans_of(test, period, af_change), {},
                       period.sample_rate_hz);
}

EpisodeQuality compare_ventricular_fibrillation(std::span<const Annotation> reference, std::span<const Annotation> test,
                                                const Period& period) {
  return compare_spans(spans_of(reference, period, vf_change), spans_of(test, period, vf_change), {},
                       period.sample_rate_hz);
}

Row episode_row(const EpisodeQuality& quality) {
  return {{{"TPs", quality.reference_found},
           {"FN", quality.reference - quality.reference_found},
           {"TPp", quality.found_true},
           {"FP", quality.found - quality.found_true}},
          {{"ESe", "sensitivity", quality.sensitivity(), 0},
           {"E+P", "ppv", quality.ppv(), 0},
           {"DSe", "duration_sensitivity", quality.duration_sensitivity(), 0},
           {"D+P", "duration_ppv", quality.duration_ppv(), 0},
           {"ref. s", "reference_s", quality.reference_s, 1, false},
           {"test s", "test_s", quality.found_s, 1, false}}};
}

RateComparison& RateComparison::operator+=(const RateComparison& other) {
  measurements += other.measurements;
  squared_error_sum += other.squared_error_sum;
  reference_sum += other.reference_sum;
  return *this;
}

std::vector<MeasuredRate> measured_rates(std::span<const Annotation> annotations) {
  std::vector<MeasuredRate> rates;
  for (const Annotation& mark : annotations)
    if (mark.symbol == '=' && mark.subtype == 0)
      if (const auto rate_bpm = parse_double(mark.note)) rates.push_back({mark.sample, *rate_bpm});
  return rates;
}

std::vector<MeasuredRate> reference_rates(std::span<const Annotation> annotations, const MarkedBeats& beats,
                                          double sample_rate_hz) {
  auto rates = measured_rates(annotations);
  if (!rates.empty()) return rates;
  std::vector<TimeSpan> breaks;
  for (const auto* stretches : {&beats.shutdown, &beats.fibrillation})
    for (const auto& [start, end] : *stretches)
      breaks.push_back({static_cast<double>(start), static_cast<double>(end)});
  std::ranges::sort(breaks, {}, &TimeSpan::start);
  std::vector<std::int64_t> samples;
  for (const LabelledBeat& beat : beats.beats) samples.push_back(beat.sample);
  return heart_rates(samples, breaks, sample_rate_hz);
}

RateComparison compare_rates(std::span<const MeasuredRate> reference, std::span<const MeasuredRate> test,
                             const Period& period) {
  RateComparison comparison;
  if (reference.empty()) return comparison;
  for (const auto& [sample, rate_bpm] : test) {
    if (sample < period.start || sample > period.end) continue;
    auto nearest = std::ranges::lower_bound(reference, sample, {}, &MeasuredRate::sample);
    if (nearest == reference.end() ||
        (nearest != reference.begin() && sample - nearest[-1].sample < nearest->sample - sample))
      --nearest;
    comparison.reference_sum += nearest->rate_bpm;
    comparison.squared_error_sum += (nearest->rate_bpm - rate_bpm) * (nearest->rate_bpm - rate_bpm);
    ++comparison.measurements;
  }
  return comparison;
}

Row rate_row(const RateComparison& comparison) {
  const auto n = static_cast<double>(comparison.measurements);
  const auto mean = quotient(comparison.reference_sum, n), squared = quotient(comparison.squared_error_sum, n);
  return {{{"n", comparison.measurements}},
          {{"error %", "rms_error", mean ? quotient(std::sqrt(*squared), *mean) : std::nullopt, 2},
           {"mean", "mean_reference_bpm", mean, 2, false}}};
}

}  // namespace beatscan::ec57
