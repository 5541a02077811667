// kernels/rhythm/state_sums.h — the linear part of a multinomial regression over features of beats.
//
//   sums[i][s] = intercept[s] + sum_f weight[f][s] inputs[f][i], in float32 in the order of f, without fused products
//   inputs     [F][B] of B beats
//   weight     [F][16], intercept [16]
//   sums       [B][16]
// Another shape throws ErrorKind::internal. All processors compute the same bits.
#pragma once

#include <array>
#include <span>

namespace beatscan {

inline constexpr int kMostStates = 16;               // of a model; fewer are filled up with zeros
using StateValues = std::array<float, kMostStates>;  // a value of each state

void state_sums(std::span<const float> inputs, std::span<const StateValues> weight, const StateValues& intercept,
                std::span<StateValues> sums);

}  // namespace beatscan
