// tests/kernels/rhythm/expected_states.h — the hidden Markov model of kernels/rhythm/decode_states.h by its definition,
// in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/rhythm/decode_states.h"

namespace beatscan {

using StateRows = std::vector<std::vector<double>>;  // [K][S]

inline std::vector<double> expected_emission(const StateValues& log_p, const StateDecoder& decoder,
                                             std::span<const double> prior) {
  std::vector<double> own;
  for (std::size_t s = 0; s < prior.size(); ++s)
    own.push_back(decoder.temperature *
                  (log_p[s] - std::log(decoder.training_prior[s]) + (1 - decoder.balance) * std::log(prior[s])));
  return own;
}

inline void divide_by_sum(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
}

// Returns the probability of going from a state to another.
inline double expected_weight(const StateDecoder& decoder, std::span<const double> prior, std::size_t from,
                              std::size_t to) {
  return (from == to ? decoder.stay : 0) + (1 - decoder.stay) * prior[to];
}

inline StateRows expected_posteriors(std::span<const StateValues> log_p, const StateDecoder& decoder,
                                     std::span<const double> prior) {
  const std::size_t beats = log_p.size(), states = prior.size();
  StateRows before(beats, std::vector<double>(states)), after(beats, std::vector<double>(states, 1));
  const auto likelihood = [&](std::size_t i) {
    auto own = expected_emission(log_p[i], decoder, prior);
    const double most = *std::ranges::max_element(own);
    for (double& value : own) value = std::exp(value - most);
    return own;
  };
  for (std::size_t i = 0; i < beats; ++i) {
    const auto own = likelihood(i);
    for (std::size_t to = 0; to < states; ++to) {
      double sum = i == 0 ? prior[to] : 0;
      for (std::size_t from = 0; i > 0 && from < states; ++from)
        sum += before[i - 1][from] * expected_weight(decoder, prior, from, to);
      before[i][to] = sum * own[to];
    }
    divide_by_sum(before[i]);
  }
  for (std::size_t i = beats - 1; i-- > 0;) {
    const auto own = likelihood(i + 1);
    for (std::size_t from = 0; from < states; ++from) {
      after[i][from] = 0;
      for (std::size_t to = 0; to < states; ++to)
        after[i][from] += expected_weight(decoder, prior, from, to) * own[to] * after[i + 1][to];
    }
    divide_by_sum(after[i]);
  }
  for (std::size_t i = 0; i < beats; ++i) {
    for (std::size_t s = 0; s < states; ++s) before[i][s] *= after[i][s];
    divide_by_sum(before[i]);
  }
  return before;
}

inline std::vector<double> expected_prior(std::span<const StateValues> log_p, const StateDecoder& decoder) {
  std::vector<double> prior = decoder.prior;
  for (int round = 0; round < decoder.rounds; ++round) {
    std::vector<double> sums(prior.size());
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] = decoder.prior_beats * decoder.prior[s];
    for (const auto& row : expected_posteriors(log_p, decoder, prior))
      for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += row[s];
    divide_by_sum(sums);
    prior = sums;
  }
  return prior;
}

inline std::vector<int> expected_path(std::span<const StateValues> log_p, const StateDecoder& decoder,
                                      std::span<const double> prior) {
  const std::size_t beats = log_p.size(), states = prior.size();
  std::vector<std::vector<int>> came(beats, std::vector<int>(states));
  std::vector<double> score = expected_emission(log_p[0], decoder, prior);
  for (std::size_t s = 0; s < states; ++s) score[s] += std::log(prior[s]);
  for (std::size_t i = 1; i < beats; ++i) {
    const auto own = expected_emission(log_p[i], decoder, prior);
    std::vector<double> next(states, -INFINITY);
    for (std::size_t to = 0; to < states; ++to)
      for (std::size_t from = 0; from < states; ++from)
        if (const double its = score[from] + std::log(expected_weight(decoder, prior, from, to)) + own[to];
            its > next[to])
          next[to] = its, came[i][to] = static_cast<int>(from);
    score = next;
  }
  std::vector<int> path(beats);
  path.back() = static_cast<int>(std::ranges::max_element(score) - score.begin());
  for (std::size_t i = beats - 1; i > 0; --i) path[i - 1] = came[i][path[i]];
  return path;
}

}  // namespace beatscan
