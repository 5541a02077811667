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
  std::span<const StateValues> log_p;  // [K]
  std::vector<double> offset;          // [S]
  double temperature;

  Emission(std::span<const StateValues> log_p, std::span<const double> training_prior, std::span<const double> prior,
           const RhythmSource& source)
      : log_p(log_p), offset(prior.size()), temperature(source.temperature) {
    for (std::size_t s = 0; s < prior.size(); ++s)
      offset[s] = (1 - source.balance) * std::log(prior[s]) - std::log(training_prior[s]);
  }
  std::size_t states() const { return offset.size(); }
  std::size_t beats() const { return log_p.size(); }
  template <class Value>
  void write(std::size_t beat, std::span<Value> values) const {
    const StateValues& own = log_p[beat];
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

std::vector<StateValues> rhythm_posteriors(std::span<const StateValues> log_p, std::span<const double> training_prior,
                                           std::span<const double> prior, const RhythmSource& source) {
  return posterior_rows(Emission(log_p, training_prior, prior, source), prior, source.stay);
}

namespace {

// Decodes log probabilities [K]. No beats give nothing.
DecodedRhythms decode_rhythms(std::span<const StateValues> log_p, std::span<const double> training_prior,
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
  auto probability =
      of_each_beat(std::ssize(path), [&](std::int64_t i) { return std::exp(static_cast<double>(log_p[i][path[i]])); });
  return {std::move(prior), std::move(path), std::move(probability)};
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

template <class Context>
DecodedRhythms rhythms_of(Context& context, const BeatFeatures& table, std::span<const float> posteriors,
                          const RhythmModel& model, RecordingSource source, double duration_s) {
  if (table.beats() == 0) return {};
  const auto& [regression, sources] = recogniser_of(table, model);
  const RhythmColumns<Context> columns(context, table, regression);
  const auto log_p =
      rhythm_log_p(context, table.beats(), std::cref(columns), in_context(context, posteriors), regression);
  return decode_rhythms(to_host(context, log_p), regression.training_prior,
                        source_of(recogniser_of(table, model), source, duration_s, model.strip_s));
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
