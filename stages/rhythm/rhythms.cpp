#include "stages/rhythm/rhythms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "kernels/runtime/loaded.h"
#include "stages/classify/beat_table.h"
#include "stages/rhythm/measures.h"

namespace beatscan {

namespace {

template <class Context>
const RhythmRecogniser& recogniser_of(Context& context, const FeatureTable<Context>& table, const RhythmModel& model) {
  const OnHost<float, Context> evidence(context, table.column("p_evidence"));
  const bool has_waves = std::ranges::any_of(evidence.span(), [](float value) { return std::isfinite(value); });
  return has_waves ? model.waves : model.intervals;
}

const RhythmSource& source_of(const RhythmRecogniser& recogniser, RecordingSource source, double duration_s,
                              double strip_s) {
  if (source == RecordingSource::automatic)
    source = duration_s <= strip_s ? RecordingSource::strip : RecordingSource::holter;
  return recogniser.sources[static_cast<std::size_t>(source) - 1];
}

StateDecoder decoder_of(const RhythmSource& source, const RhythmRegression& regression) {
  return {source.prior, regression.training_prior, source.temperature, source.balance,
          source.stay,  source.prior_beats,        source.rounds};
}

}  // namespace

template <class Context>
DecodedRhythms rhythms_of(Context& context, const FeatureTable<Context>& table, std::span<const float> posteriors,
                          const RhythmModel& model, RecordingSource source, double duration_s) {
  if (table.beats() == 0) return {};
  const RhythmRecogniser& recogniser = recogniser_of(context, table, model);
  const RhythmRegression& regression = recogniser.regression;
  const Loaded<float, Context> of_classes(context, posteriors);
  const auto column = [&](const std::string& name) { return table.column(name); };
  const auto log_p = rhythm_log_p(context, table.beats(), column, of_classes, regression);
  return decode_states(context, log_p,
                       decoder_of(source_of(recogniser, source, duration_s, model.strip_s), regression));
}

std::vector<RhythmSegment> rhythm_segments(const DecodedRhythms& decoded, std::span<const double> r_peaks_s,
                                           double duration_s, double confidence_temperature) {
  const std::size_t beats = decoded.path.size();
  std::vector<RhythmSegment> segments;
  const auto edge = [&](std::size_t i) {
    return i == 0 ? 0 : i == beats ? duration_s : (r_peaks_s[i - 1] + r_peaks_s[i]) / 2;
  };
  for (std::size_t first = 0, last = 0; first < beats; first = last) {
    double sum = 0;
    for (; last < beats && decoded.path[last] == decoded.path[first]; ++last) sum += decoded.probability[last];
    const double p = std::clamp(sum / static_cast<double>(last - first), 1e-4, 1 - 1e-4);
    const double odds = std::log(p / (1 - p)) / confidence_temperature;
    segments.push_back({edge(first), edge(last), decoded.path[first], 1 / (1 + std::exp(-odds))});
  }
  return segments;
}

template <class Context>
Rhythms recognised_rhythms(Context& context, const FeatureTable<Context>& table, std::span<const float> posteriors,
                           std::span<const double> r_peaks, double sample_rate_hz, double duration_s,
                           const RhythmModel& model, RecordingSource source) {
  std::vector<double> r_peaks_s;
  for (const double sample : r_peaks) r_peaks_s.push_back(sample / sample_rate_hz);
  const auto decoded = rhythms_of(context, table, posteriors, model, source, duration_s);
  return {model.states, source_of(recogniser_of(context, table, model), source, duration_s, model.strip_s).decides,
          rhythm_segments(decoded, r_peaks_s, duration_s, model.confidence_temperature)};
}

#define BEATSCAN_RHYTHMS(Context)                                                                     \
  template DecodedRhythms rhythms_of(Context&, const FeatureTable<Context>&, std::span<const float>,  \
                                     const RhythmModel&, RecordingSource, double);                    \
  template Rhythms recognised_rhythms(Context&, const FeatureTable<Context>&, std::span<const float>, \
                                      std::span<const double>, double, double, const RhythmModel&, RecordingSource);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHMS)

}  // namespace beatscan
