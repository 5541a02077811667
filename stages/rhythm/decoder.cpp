#include "stages/rhythm/decoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/rhythm/state_sums.h"
#include "kernels/runtime/error.h"
#include "stages/features/each_beat.h"
#include "stages/features/forward_backward.h"

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

}  // namespace beatscan
