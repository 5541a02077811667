#include "stages/rhythm/rhythms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/columns.h"
#include "stages/classify/forward_backward.h"
#include "stages/rhythm/measures.h"

namespace beatscan {

namespace {

// The log likelihoods of a beat's states: temperature (log_p[s] + offset[s]).
struct Emission {
  std::span<const float> log_p;  // [K][S]
  std::vector<double> offset;    // [S]
  double temperature;

  Emission(std::span<const float> log_p, std::span<const double> training_prior, std::span<const double> prior,
           const RhythmSource& source)
      : log_p(log_p), offset(prior.size()), temperature(source.temperature) {
    for (std::size_t s = 0; s < prior.size(); ++s)
      offset[s] = (1 - source.balance) * std::log(prior[s]) - std::log(training_prior[s]);
  }
  std::size_t states() const { return offset.size(); }
  std::size_t beats() const { return log_p.size() / states(); }
  template <class Value>
  void write(std::size_t beat, std::span<Value> values) const {
    const float* own = &log_p[beat * states()];
    for (std::size_t s = 0; s < values.size(); ++s) values[s] = static_cast<Value>(temperature * (own[s] + offset[s]));
  }
};

using Rows = std::vector<StateValues>;  // [K]; states that the model does not have are 0

// Returns the likelihood of each state at each beat over that of the beat's likeliest one.
Rows likelihoods(const Emission& emission) {
  Rows rows(emission.beats());
  each_beat(std::ssize(rows), [&](std::int64_t i) {
    const auto own = std::span(rows[i]).first(emission.states());
    emission.write(i, own);
    const float most = std::ranges::max(own);
    for (float& value : own) value = std::exp(value - most);
  });
  return rows;
}

// A rhythm continues, or else one is drawn from the prior.
class StickyChain {
 public:
  StickyChain(std::span<const double> prior, double stay) : stay_(static_cast<float>(stay)), drawn_(1 - stay_) {
    std::ranges::transform(prior, prior_.begin(), [](double p) { return static_cast<float>(p); });
  }
  const StateValues& prior() const { return prior_; }
  StateValues step(StateValues row) const {
    for (int s = 0; s < kMostStates; ++s) row[s] = stay_ * row[s] + drawn_ * prior_[s];
    return row;
  }
  StateValues step_back(StateValues row) const {
    StateValues drawn = prior_;
    multiply(drawn, row);
    const float anew = drawn_ * sum_of(drawn);
    for (float& value : row) value = stay_ * value + anew;
    return row;
  }

 private:
  StateValues prior_{};
  float stay_, drawn_;
};

Rows posterior_rows(const Emission& emission, std::span<const double> prior, double stay) {
  return state_posteriors(likelihoods(emission), StickyChain(prior, stay));
}

using Scores = std::array<double, kMostStates>;

// Returns the place of the greatest score, the first of equals.
int place_of_greatest(const Scores& scores) {
  int place = 0;
  for (int s = 1; s < kMostStates; ++s) place = scores[s] > scores[place] ? s : place;
  return place;
}

std::vector<int> viterbi(const Emission& emission, std::span<const double> prior, double stay) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const std::size_t beats = emission.beats(), states = prior.size();
  std::vector<std::array<std::uint8_t, kMostStates>> came(beats);
  std::vector<int> path(beats);
  if (beats == 0) return path;
  Scores own{}, score, change, goes_on;
  for (auto* scores : {&score, &change, &goes_on}) scores->fill(kNever);
  emission.write(0, std::span(own).first(states));
  for (std::size_t s = 0; s < states; ++s) {
    score[s] = std::log(prior[s]) + own[s];
    change[s] = std::log((1 - stay) * prior[s]);
    goes_on[s] = std::log(stay + (1 - stay) * prior[s]);
  }
  for (std::size_t i = 1; i < beats; ++i) {
    const int best = place_of_greatest(score);
    const double from = score[best];
    emission.write(i, std::span(own).first(states));
    for (int s = 0; s < kMostStates; ++s) {
      const double drawn = from + change[s], same = score[s] + goes_on[s];
      came[i][s] = static_cast<std::uint8_t>(same >= drawn ? s : best);
      score[s] = (same >= drawn ? same : drawn) + own[s];
    }
  }
  path.back() = place_of_greatest(score);
  for (std::size_t i = beats - 1; i > 0; --i) path[i - 1] = came[i][path[i]];
  return path;
}

}  // namespace

std::vector<float> rhythm_posteriors(std::span<const float> log_p, std::span<const double> training_prior,
                                     std::span<const double> prior, const RhythmSource& source) {
  const auto rows = posterior_rows(Emission(log_p, training_prior, prior, source), prior, source.stay);
  const std::size_t states = prior.size();
  std::vector<float> found(log_p.size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(rows[i].begin(), states, &found[i * states]);
  return found;
}

namespace {

// Decodes log probabilities [K][S]. No beats give nothing.
DecodedRhythms decode_rhythms(std::span<const float> log_p, std::span<const double> training_prior,
                              const RhythmSource& source) {
  std::vector<double> prior = source.prior;
  const std::size_t states = prior.size();
  BEATSCAN_EXPECTS(states <= kMostStates, "decode_rhythms: too many states");
  for (int round = 0; round < source.rounds; ++round) {
    std::array<double, kMostStates> sums{};
    for (const StateValues& row : posterior_rows(Emission(log_p, training_prior, prior, source), prior, source.stay))
      for (int s = 0; s < kMostStates; ++s) sums[s] += row[s];
    for (std::size_t s = 0; s < states; ++s) prior[s] = source.prior_beats * source.prior[s] + sums[s];
    const double all = std::accumulate(prior.begin(), prior.end(), 0.0);
    for (double& p : prior) p /= all;
  }
  auto path = viterbi(Emission(log_p, training_prior, prior, source), prior, source.stay);
  auto probability = of_each_beat(
      std::ssize(path), [&](std::int64_t i) { return std::exp(static_cast<double>(log_p[i * states + path[i]])); });
  return {std::move(prior), std::move(path), std::move(probability)};
}

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
