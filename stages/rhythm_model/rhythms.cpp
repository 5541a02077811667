#include "stages/rhythm_model/rhythms.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/features/beat_table.h"
#include "stages/rhythm_model/measures.h"

namespace beatscan {
namespace {

using Values = std::vector<double>;

constexpr float kMostDeviations = 4;

// A feature that is ready to be computed.
struct BoundFeature {
  std::span<const float> values;
  WindowStatistic statistic;
  int reach;
  float mean, deviation;
  // Writes the standardised feature of the beats first .. last - 1; 0 where it does not exist.
  void write(std::int64_t first, std::int64_t last, std::span<double> found) const {
    write_statistic(values, first, last, reach, statistic, found);
    for (double& value : found.first(last - first)) {
      const float z = (static_cast<float>(value) - mean) / deviation;
      value = std::isfinite(z) ? std::clamp(z, -kMostDeviations, kMostDeviations) : 0;
    }
  }
};

// Returns the values of a measure: of those that are made of columns, or else a column.
std::span<const float> values_of(const BeatFeatures& table, const RhythmMeasures& measures, const std::string& name) {
  if (const auto found = measures.find(name); found != measures.end()) return found->second;
  if (const FeatureColumn* column = table.column(name)) return column->values;
  throw Error(ErrorKind::input, "the rhythm model reads the measure '" + name + "', which is unknown");
}

std::vector<BoundFeature> bound_features(const BeatFeatures& table, const RhythmRegression& regression,
                                         const RhythmMeasures& measures) {
  std::vector<BoundFeature> bound;
  for (std::size_t f = 0; f < regression.features.size(); ++f) {
    const auto& [measure, statistic, reach] = regression.features[f];
    bound.push_back({values_of(table, measures, measure), window_statistic(statistic), reach, regression.mean[f],
                     regression.deviation[f]});
  }
  return bound;
}

// Adds `input` times each weight of a feature.
void add_product(const float* weight, float input, std::int64_t states, float* sums) {
  for (std::int64_t s = 0; s < states; ++s) sums[s] += weight[s] * input;
}

// Turns values into the logarithms of their softmax.
void log_softmax(std::span<float> values) {
  const float most = std::ranges::max(values);
  float sum = 0;
  for (const float value : values) sum += std::exp(value - most);
  const float all = most + std::log(sum);
  for (float& value : values) value -= all;
}

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

}  // namespace

std::vector<float> rhythm_log_p(const BeatFeatures& table, std::span<const float> posteriors,
                                const RhythmRegression& regression) {
  constexpr std::int64_t kBlock = 512;  // beats whose features are held at a time
  const auto measures = rhythm_measures(table, posteriors);
  const auto features = bound_features(table, regression, measures);
  const std::int64_t beats = table.beats(), width = std::ssize(features), states = std::ssize(regression.intercept);
  std::vector<float> log_p(beats * states), weight(width * states);  // the latter [F][S]
  for (std::int64_t f = 0; f < width; ++f)
    for (std::int64_t s = 0; s < states; ++s) weight[f * states + s] = regression.weight[s * width + f];
  parallel_each(Cpu(), (beats + kBlock - 1) / kBlock, [&](std::int64_t block) {
    const std::int64_t first = block * kBlock, last = std::min(first + kBlock, beats);
    const auto of_beat = [&](std::int64_t i) { return std::span(log_p).subspan(i * states, states); };
    std::vector<double> inputs(kBlock);
    for (std::int64_t i = first; i < last; ++i) std::ranges::copy(regression.intercept, of_beat(i).begin());
    for (std::int64_t f = 0; f < width; ++f) {
      features[f].write(first, last, inputs);
      for (std::int64_t i = first; i < last; ++i)
        add_product(&weight[f * states], static_cast<float>(inputs[i - first]), states, of_beat(i).data());
    }
    for (std::int64_t i = first; i < last; ++i) log_softmax(of_beat(i));
  });
  return log_p;
}

DecodedRhythms rhythms_of(const BeatFeatures& table, std::span<const float> posteriors, const RhythmModel& model,
                          RecordingSource source, double duration_s) {
  if (table.beats() == 0) return {};
  const RhythmRecogniser& recogniser = recogniser_of(table, model);
  return decode_rhythms(rhythm_log_p(table, posteriors, recogniser.regression), recogniser.regression.training_prior,
                        source_of(recogniser, source, duration_s, model.strip_s));
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

Rhythms recognised_rhythms(const BeatFeatures& table, std::span<const float> posteriors,
                           std::span<const double> r_peaks, double sample_rate_hz, double duration_s,
                           const RhythmModel& model, RecordingSource source) {
  std::vector<double> r_peaks_s;
  for (const double sample : r_peaks) r_peaks_s.push_back(sample / sample_rate_hz);
  const auto decoded = rhythms_of(table, posteriors, model, source, duration_s);
  return {model.states, source_of(recogniser_of(table, model), source, duration_s, model.strip_s).decides,
          rhythm_segments(decoded, r_peaks_s, duration_s, model.confidence_temperature)};
}

}  // namespace beatscan
