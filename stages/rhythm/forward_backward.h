// stages/rhythm/forward_backward.h — posteriors of the states of a Markov chain over beats or blocks.
//
// A row has a value of each state: Row is a std::array. A chain has these, which `Chain` gives:
//   prior()           weights of the first beat's states
//   step(before)      after[b] = sum over a of before[a] weight[a][b]: from a beat to the next
//   step_back(after)  before[a] = sum over b of weight[a][b] after[b]
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/runtime/parallel.h"

namespace beatscan {

// Returns the sum of a row. Powers of two of values are added in pairs: many at a time, in the same order everywhere.
template <class Value, std::size_t States>
Value sum_of(std::array<Value, States> row) {
  if constexpr (std::has_single_bit(States)) {
    for (std::size_t half = States / 2; half > 0; half /= 2)
      for (std::size_t s = 0; s < half; ++s) row[s] += row[s + half];
    return row[0];
  }
  Value sum = 0;
  for (const Value value : row) sum += value;
  return sum;
}

// Divides a row by its sum.
template <class Row>
void normalise(Row& row) {
  const auto scale = 1 / sum_of(row);
  for (auto& value : row) value *= scale;
}

template <class Row>
void multiply(Row& row, const Row& by) {
  for (std::size_t s = 0; s < row.size(); ++s) row[s] *= by[s];
}

// Returns the probabilities of each beat's states given the beats up to it. likelihood [K].
template <class Row, class Chain>
std::vector<Row> forward_pass(const std::vector<Row>& likelihood, const Chain& chain) {
  std::vector<Row> found(likelihood.size());
  Row own = chain.prior();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) own = chain.step(own);
    multiply(own, likelihood[i]);
    normalise(own);
    found[i] = own;
  }
  return found;
}

// Returns the weights of each beat's states given the beats after it. likelihood [K].
template <class Row, class Chain>
std::vector<Row> backward_pass(const std::vector<Row>& likelihood, const Chain& chain) {
  std::vector<Row> found(likelihood.size());
  Row own;
  own.fill(1);
  for (std::size_t i = found.size(); i-- > 0;) {
    found[i] = own;
    multiply(own, likelihood[i]);
    own = chain.step_back(own);
    normalise(own);
  }
  return found;
}

// Returns the posterior of each state at each beat. likelihood [K].
template <class Row, class Chain>
std::vector<Row> state_posteriors(const std::vector<Row>& likelihood, const Chain& chain) {
  std::vector<Row> before, behind;
  run_together([&] { before = forward_pass(likelihood, chain); }, [&] { behind = backward_pass(likelihood, chain); });
  constexpr std::int64_t kGrain = 8192;
  parallel_for(Cpu(), std::ssize(before), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      multiply(before[i], behind[i]);
      normalise(before[i]);
    }
  });
  return before;
}

}  // namespace beatscan
