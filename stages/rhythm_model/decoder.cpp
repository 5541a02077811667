#include "stages/rhythm_model/decoder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernels/runtime/parallel.h"
#include "stages/features/each_beat.h"

namespace beatscan {
namespace {

using Values = std::vector<double>;

// Tells how likely the states of a beat are: temperature (log_p[s] + offset[s]).
struct Emission {
  std::span<const float> log_p;  // [K][S]
  Values offset;                 // [S]
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

using Floats = std::vector<float>;

// Divides values by their sum.
template <class Value>
void normalise(std::span<Value> values) {
  Value sum = 0;
  for (const Value value : values) sum += value;
  for (Value& value : values) value /= sum;
}

// Returns the likelihood of each state at each beat over that of the beat's likeliest one, [K][S].
Floats likelihoods(const Emission& emission) {
  const std::size_t states = emission.states();
  Floats likelihood(emission.log_p.size());
  each_beat(static_cast<std::int64_t>(emission.beats()), [&](std::int64_t i) {
    const auto own = std::span(likelihood).subspan(i * states, states);
    emission.write(i, std::span(own));
    const float most = std::ranges::max(own);
    for (float& value : own) value = std::exp(value - most);
  });
  return likelihood;
}

// Returns what the beats up to each one say of its state, [K][S].
Floats forward(const Floats& likelihood, const Floats& prior, double stay) {
  const auto same = static_cast<float>(stay), drawn_anew = static_cast<float>(1 - stay);
  const std::size_t states = prior.size();
  Floats found(likelihood.size());
  for (std::size_t s = 0; s < states; ++s) found[s] = likelihood[s] * prior[s];
  normalise(std::span(found).first(states));
  for (std::size_t first = states; first < found.size(); first += states) {
    float *own = &found[first], *before = own - states;
    for (std::size_t s = 0; s < states; ++s)
      own[s] = likelihood[first + s] * (same * before[s] + drawn_anew * prior[s]);
    normalise(std::span(own, states));
  }
  return found;
}

// Returns what the beats behind each one say of its state, [K][S].
Floats backward(const Floats& likelihood, const Floats& prior, double stay) {
  const auto same = static_cast<float>(stay), drawn_anew = static_cast<float>(1 - stay);
  const std::size_t states = prior.size();
  Floats found(likelihood.size(), 1.0F), here(states);
  for (std::size_t first = found.size() - states; first > 0; first -= states) {
    float drawn = 0;
    for (std::size_t s = 0; s < states; ++s) {
      here[s] = likelihood[first + s] * found[first + s];
      drawn += prior[s] * here[s];
    }
    float* own = &found[first - states];
    for (std::size_t s = 0; s < states; ++s) own[s] = same * here[s] + drawn_anew * drawn;
    normalise(std::span(own, states));
  }
  return found;
}

std::vector<int> viterbi(const Emission& emission, std::span<const double> prior, double stay) {
  const std::size_t states = prior.size(), beats = emission.beats();
  std::vector<std::uint8_t> came(beats * states);
  std::vector<int> path(beats);
  if (beats == 0) return path;
  Values own(states);
  emission.write(0, std::span(own));
  Values score(states), following(states), change(states), goes_on(states);
  for (std::size_t s = 0; s < states; ++s) {
    score[s] = std::log(prior[s]) + own[s];
    change[s] = std::log((1 - stay) * prior[s]);
    goes_on[s] = std::log(stay + (1 - stay) * prior[s]);
  }
  for (std::size_t i = 1; i < beats; ++i) {
    const auto best = std::ranges::max_element(score) - score.begin();
    emission.write(i, std::span(own));
    for (std::size_t s = 0; s < states; ++s) {
      const double drawn = score[best] + change[s], same = score[s] + goes_on[s];
      came[i * states + s] = static_cast<std::uint8_t>(same >= drawn ? static_cast<std::ptrdiff_t>(s) : best);
      following[s] = std::max(same, drawn) + own[s];
    }
    score.swap(following);
  }
  path.back() = static_cast<int>(std::ranges::max_element(score) - score.begin());
  for (std::size_t i = beats - 1; i > 0; --i) path[i - 1] = came[i * states + path[i]];
  return path;
}

}  // namespace

std::vector<float> rhythm_posteriors(std::span<const float> log_p, std::span<const double> training_prior,
                                     std::span<const double> prior, const RhythmSource& source) {
  if (log_p.empty()) return {};
  const std::size_t states = prior.size();
  const auto likelihood = likelihoods(Emission(log_p, training_prior, prior, source));
  const Floats priors(prior.begin(), prior.end());
  Floats before, behind;
  run_together([&] { before = forward(likelihood, priors, source.stay); },
               [&] { behind = backward(likelihood, priors, source.stay); });
  each_beat(std::ssize(log_p) / std::ssize(prior), [&](std::int64_t i) {
    for (std::size_t s = 0; s < states; ++s) before[i * states + s] *= behind[i * states + s];
    normalise(std::span(before).subspan(i * states, states));
  });
  return before;
}

DecodedRhythms decode_rhythms(std::span<const float> log_p, std::span<const double> training_prior,
                              const RhythmSource& source) {
  Values prior = source.prior;
  const std::size_t states = prior.size();
  for (int round = 0; round < source.rounds; ++round) {
    const auto posterior = rhythm_posteriors(log_p, training_prior, prior, source);
    for (std::size_t s = 0; s < states; ++s) prior[s] = source.prior_beats * source.prior[s];
    for (std::size_t first = 0; first < posterior.size(); first += states)
      for (std::size_t s = 0; s < states; ++s) prior[s] += posterior[first + s];
    normalise(std::span(prior));
  }
  auto path = viterbi(Emission(log_p, training_prior, prior, source), prior, source.stay);
  auto probability = of_each_beat(
      std::ssize(path), [&](std::int64_t i) { return std::exp(static_cast<double>(log_p[i * states + path[i]])); });
  return {std::move(prior), std::move(path), std::move(probability)};
}

}  // namespace beatscan
