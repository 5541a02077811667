#include "stages/rhythm_model/decoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace beatscan {
namespace {

using Values = std::vector<double>;

Values emissions(std::span<const double> log_p, std::span<const double> training_prior, const Values& prior,
                 const RhythmSource& source) {
  const std::size_t states = prior.size();
  Values offset(states), emission(log_p.size());
  for (std::size_t s = 0; s < states; ++s)
    offset[s] = (1 - source.balance) * std::log(prior[s]) - std::log(training_prior[s]);
  for (std::size_t i = 0; i < log_p.size(); i += states)
    for (std::size_t s = 0; s < states; ++s) emission[i + s] = source.temperature * (log_p[i + s] + offset[s]);
  return emission;
}

// Divides values by their sum.
void normalise(std::span<double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value /= sum;
}

// Returns the posterior of each state at each beat, [K][S].
Values forward_backward(const Values& emission, const Values& prior, double stay) {
  const std::size_t states = prior.size(), beats = emission.size() / states;
  Values likelihood(emission.size()), forward(emission.size()), backward(emission.size(), 1.0);
  for (std::size_t i = 0; i < beats; ++i) {
    const double most = *std::max_element(&emission[i * states], &emission[i * states] + states);
    for (std::size_t s = 0; s < states; ++s) {
      const std::size_t at = i * states + s;
      likelihood[at] = std::exp(emission[at] - most);
      forward[at] = likelihood[at] * (i == 0 ? prior[s] : stay * forward[at - states] + (1 - stay) * prior[s]);
    }
    normalise(std::span(forward).subspan(i * states, states));
  }
  for (std::size_t i = beats; i-- > 1;) {
    double drawn = 0;
    for (std::size_t s = 0; s < states; ++s) drawn += prior[s] * likelihood[i * states + s] * backward[i * states + s];
    for (std::size_t s = 0; s < states; ++s)
      backward[(i - 1) * states + s] =
          stay * likelihood[i * states + s] * backward[i * states + s] + (1 - stay) * drawn;
    normalise(std::span(backward).subspan((i - 1) * states, states));
  }
  for (std::size_t at = 0; at < forward.size(); ++at) forward[at] *= backward[at];
  for (std::size_t i = 0; i < beats; ++i) normalise(std::span(forward).subspan(i * states, states));
  return forward;
}

std::vector<int> viterbi(const Values& emission, const Values& prior, double stay) {
  const std::size_t states = prior.size(), beats = emission.size() / states;
  std::vector<int> came(emission.size()), path(beats);
  if (beats == 0) return path;
  Values score(states), following(states), change(states), goes_on(states);
  for (std::size_t s = 0; s < states; ++s) {
    score[s] = std::log(prior[s]) + emission[s];
    change[s] = std::log((1 - stay) * prior[s]);
    goes_on[s] = std::log(stay + (1 - stay) * prior[s]);
  }
  for (std::size_t i = 1; i < beats; ++i) {
    const auto best = std::ranges::max_element(score) - score.begin();
    for (std::size_t s = 0; s < states; ++s) {
      const double drawn = score[best] + change[s], same = score[s] + goes_on[s];
      came[i * states + s] = static_cast<int>(same >= drawn ? static_cast<std::ptrdiff_t>(s) : best);
      following[s] = std::max(same, drawn) + emission[i * states + s];
    }
    score.swap(following);
  }
  path.back() = static_cast<int>(std::ranges::max_element(score) - score.begin());
  for (std::size_t i = beats - 1; i > 0; --i) path[i - 1] = came[i * states + path[i]];
  return path;
}

}  // namespace

DecodedRhythms decode_rhythms(std::span<const double> log_p, std::span<const double> training_prior,
                              const RhythmSource& source) {
  Values prior = source.prior;
  for (int round = 0; round < source.rounds; ++round) {
    const auto posterior = forward_backward(emissions(log_p, training_prior, prior, source), prior, source.stay);
    for (std::size_t s = 0; s < prior.size(); ++s) prior[s] = source.prior_beats * source.prior[s];
    for (std::size_t at = 0; at < posterior.size(); ++at) prior[at % prior.size()] += posterior[at];
    normalise(prior);
  }
  const auto emission = emissions(log_p, training_prior, prior, source);
  Values probability(log_p.begin(), log_p.end());
  for (double& value : probability) value = std::exp(value);
  return {.posterior = forward_backward(emission, prior, source.stay),
          .path = viterbi(emission, prior, source.stay),
          .probability = std::move(probability)};
}

}  // namespace beatscan
