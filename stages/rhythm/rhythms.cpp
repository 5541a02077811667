#include "stages/rhythm/rhythms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "stages/classify/beat_table.h"
#include "stages/rhythm/measures.h"

namespace beatscan {

namespace {

bool has_waves(const BeatFeatures& table) {
  const FeatureColumn* found = table.column("p_evidence");
  return found && std::ranges::any_of(found->values, [](float value) { return std::isfinite(value); });
}

const RhythmRecogniser& recogniser_of(const BeatFeatures& table, const RhythmModel& model) {
  return has_waves(table) ? model.waves : model.intervals;
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
DecodedRhythms rhythms_of(Context& context, const BeatFeatures& table, std::span<const float> posteriors,
                          const RhythmModel& model, RecordingSource source, double duration_s) {
  if (table.beats() == 0) return {};
  const RhythmRecogniser& recogniser = recogniser_of(table, model);
  const RhythmRegression& regression = recogniser.regression;
  const RhythmColumns<Context> columns(context, table, regression);
  const auto log_p =
      rhythm_log_p(context, table.beats(), std::cref(columns), in_context(context, posteriors), regression);
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
Rhythms recognised_rhythms(Context& context, const BeatFeatures& table, std::span<const float> posteriors,
                           std::span<const double> r_peaks, double sample_rate_hz, double duration_s,
                           const RhythmModel& model, RecordingSource source) {
  std::vector<double> r_peaks_s;
  for (const double sample : r_peaks) r_peaks_s.push_back(sample / sample_rate_hz);
  const auto decoded = rhythms_of(context, table, posteriors, model, source, duration_s);
  return {model.states, source_of(recogniser_of(table, model), source, duration_s, model.strip_s).decides,
          rhythm_segments(decoded, r_peaks_s, duration_s, model.confidence_temperature)};
}

#define BEATSCAN_RHYTHMS(Context)                                                                                     \
  template DecodedRhythms rhythms_of(Context&, const BeatFeatures&, std::span<const float>, const RhythmModel&,       \
                                     RecordingSource, double);                                                        \
  template Rhythms recognised_rhythms(Context&, const BeatFeatures&, std::span<const float>, std::span<const double>, \
                                      double, double, const RhythmModel&, RecordingSource);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHMS)

}  // namespace beatscan
