#include "stages/rhythm/rhythms.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kernels/rhythm/state_sums.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/features/beat_table.h"
#include "stages/rhythm/measures.h"
#include "stages/rhythm/windows.h"

namespace beatscan {
namespace {

constexpr float kMostDeviations = 4;

// A feature of a measure, and its place among the features.
struct BoundFeature {
  WindowStatistic statistic;
  int reach;
  float mean, deviation;
  std::size_t place;

  // Writes the standardised feature of a block's beats; 0 if it does not exist.
  void write(const BlockWindows& windows, std::span<float> found) const {
    windows.write(statistic, reach, found);
    for (float& value : found) {
      const float z = (value - mean) / deviation;
      value = std::isfinite(z) ? std::clamp(z, -kMostDeviations, kMostDeviations) : 0;
    }
  }
};

// A measure with its features, which share its sums.
struct BoundMeasure {
  std::span<const float> values;
  int reach = 0;  // the longest of its features
  std::vector<BoundFeature> features = {};
};

// Returns the values of a measure: of those that are made of columns, or else a column.
std::span<const float> values_of(const BeatFeatures& table, const RhythmMeasures& measures, const std::string& name) {
  if (const auto found = measures.find(name); found != measures.end()) return found->second;
  if (const FeatureColumn* column = table.column(name)) return column->values;
  throw Error(ErrorKind::input, "the rhythm model reads the measure '" + name + "', which is unknown");
}

std::vector<BoundMeasure> bound_measures(const BeatFeatures& table, const RhythmRegression& regression,
                                         const RhythmMeasures& measures) {
  std::map<std::string, BoundMeasure> bound;
  for (std::size_t f = 0; f < regression.features.size(); ++f) {
    const auto& [name, statistic, reach] = regression.features[f];
    const auto [place, is_new] = bound.try_emplace(name);
    BoundMeasure& measure = place->second;
    if (is_new) measure.values = values_of(table, measures, name);
    measure.reach = std::max(measure.reach, reach);
    measure.features.push_back({window_statistic(statistic), reach, regression.mean[f], regression.deviation[f], f});
  }
  std::vector<BoundMeasure> list;
  for (auto& [name, measure] : bound) list.push_back(std::move(measure));
  return list;
}

// The weights of a regression, feature by feature.
std::vector<StateValues> weights_by_feature(const RhythmRegression& regression) {
  const std::size_t states = regression.intercept.size(), features = regression.features.size();
  BEATSCAN_EXPECTS(states <= kMostStates, "rhythm_log_p: too many states");
  std::vector<StateValues> weights(features, StateValues{});
  for (std::size_t f = 0; f < features; ++f)
    for (std::size_t s = 0; s < states; ++s) weights[f][s] = regression.weight[s * features + f];
  return weights;
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
  const auto bound = bound_measures(table, regression, measures);
  const auto weights = weights_by_feature(regression);
  const std::int64_t beats = table.beats(), states = std::ssize(regression.intercept);
  StateValues intercept{};
  std::ranges::copy(regression.intercept, intercept.begin());
  std::vector<float> log_p(beats * states);
  parallel_each(Cpu(), (beats + kBlock - 1) / kBlock, [&](std::int64_t block) {
    const std::int64_t first = block * kBlock, last = std::min(first + kBlock, beats), count = last - first;
    std::vector<float> inputs(weights.size() * count);
    for (const BoundMeasure& measure : bound) {
      const BlockWindows windows(measure.values, first, last, measure.reach);
      for (const BoundFeature& feature : measure.features)
        feature.write(windows, std::span(inputs).subspan(feature.place * count, count));
    }
    std::vector<StateValues> sums(count);
    state_sums(inputs, weights, intercept, sums);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto own = std::span(log_p).subspan((first + i) * states, states);
      std::copy_n(sums[i].begin(), states, own.begin());
      log_softmax(own);
    }
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
