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
  std::span<const double> log_p;  // [K][S]
  Values offset;                  // [S]
  double temperature;

  Emission(std::span<const double> log_p, std::span<const double> training_prior, std::span<const double> prior,
           const RhythmSource& source)
      : log_p(log_p), offset(prior.size()), temperature(source.temperature) {
    for (std::size_t s = 0; s < prior.size(); ++s)
      offset[s] = (1 - source.balance) * std::log(prior[s]) - std::log(training_prior[s]);
  }
  std::size_t states() const { return offset.size(); }
  std::size_t beats() const { return log_p.size() / states(); }
  void write(std::size_t beat, std::span<double> values) const {
    for (std::size_t s = 0; s < states(); ++s) values[s] = temperature * (log_p[beat * states() + s] + offset[s]);
  }
};

// Divides values by their sum.
void normalise(std::span<double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  for (double& value : values) value /= sum;
}

// Returns the likelihood of each state at each beat over that of the beat's likeliest one, [K][S].
Values likelihoods(const Emission& emission) {
  const std::size_t states = emission.states();
  Values likelihood(emission.log_p.size());
  each_beat(static_cast<std::int64_t>(emission.beats()), [&](std::int64_t i) {
    const auto own = std::span(likelihood).subspan(i * states, states);
    emission.write(i, own);
    const double most = std::ranges::max(own);
    for (double& value : own) value = std::exp(value - most);
  });
  return likelihood;
}

// Returns what the beats up to each one say of its state, [K][S].
Values forward(const Values& likelihood, std::span<const double> prior, double stay) {
  const std::size_t states = prior.size();
  Values found(likelihood.size());
  for (std::size_t first = 0; first < found.size(); first += states) {
    for (std::size_t s = 0; s < states; ++s)
      found[first + s] =
          likelihood[first + s] * (first == 0 ? prior[s] : stay * found[first + s - states] + (1 - stay) * prior[s]);
    normalise(std::span(found).subspan(first, states));
  }
  return found;
}

// Returns what the beats behind each one say of its state, [K][S].
Values backward(const Values& likelihood, std::span<const double> prior, double stay) {
  const std::size_t states = prior.size();
  Values found(likelihood.size(), 1.0), here(states);
  for (std::size_t first = found.size() - states; first > 0; first -= states) {
    double drawn = 0;
    for (std::size_t s = 0; s < states; ++s) {
      here[s] = likelihood[first + s] * found[first + s];
      drawn += prior[s] * here[s];
    }
    for (std::size_t s = 0; s < states; ++s) found[first - states + s] = stay * here[s] + (1 - stay) * drawn;
    normalise(std::span(found).subspan(first - states, states));
  }
  return found;
}

std::vector<int> viterbi(const Emission& emission, std::span<const double> prior, double stay) {
  const std::size_t states = prior.size(), beats = emission.beats();
  std::vector<std::uint8_t> came(beats * states);
  std::vector<int> path(beats);
  if (beats == 0) return path;
  Values own(states);
  emission.write(0, own);
  Values score(states), following(states), change(states), goes_on(states);
  for (std::size_t s = 0; s < states; ++s) {
    score[s] = std::log(prior[s]) + own[s];
    change[s] = std::log((1 - stay) * prior[s]);
    goes_on[s] = std::log(stay + (1 - stay) * prior[s]);
  }
  for (std::size_t i = 1; i < beats; ++i) {
    const auto best = std::ranges::max_element(score) - score.begin();
    emission.write(i, own);
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

std::vector<double> rhythm_posteriors(std::span<const double> log_p, std::span<const double> training_prior,
                                      std::span<const double> prior, const RhythmSource& source) {
  if (log_p.empty()) return {};
  const std::size_t states = prior.size();
  const auto likelihood = likelihoods(Emission(log_p, training_prior, prior, source));
  Values before, behind;
  run_together([&] { before = forward(likelihood, prior, source.stay); },
               [&] { behind = backward(likelihood, prior, source.stay); });
  each_beat(std::ssize(log_p) / std::ssize(prior), [&](std::int64_t i) {
    for (std::size_t s = 0; s < states; ++s) before[i * states + s] *= behind[i * states + s];
    normalise(std::span(before).subspan(i * states, states));
  });
  return before;
}

DecodedRhythms decode_rhythms(std::span<const double> log_p, std::span<const double> training_prior,
                              const RhythmSource& source) {
  Values prior = source.prior;
  const std::size_t states = prior.size();
  for (int round = 0; round < source.rounds; ++round) {
    const auto posterior = rhythm_posteriors(log_p, training_prior, prior, source);
    for (std::size_t s = 0; s < states; ++s) prior[s] = source.prior_beats * source.prior[s];
    for (std::size_t first = 0; first < posterior.size(); first += states)
      for (std::size_t s = 0; s < states; ++s) prior[s] += posterior[first + s];
    normalise(prior);
  }
  auto path = viterbi(Emission(log_p, training_prior, prior, source), prior, source.stay);
  auto probability =
      of_each_beat(std::ssize(path), [&](std::int64_t i) { return std::exp(log_p[i * states + path[i]]); });
  return {std::move(prior), std::move(path), std::move(probability)};
}

}  // namespace beatscan
