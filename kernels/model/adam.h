// kernels/model/adam.h — a step of Adam (Kingma and Ba 2015) with LibTorch's defaults, for both back ends.
#pragma once

#include <cmath>

#include "kernels/runtime/portable.h"

namespace beatscan {

inline constexpr double kAdamBeta1 = 0.9, kAdamBeta2 = 0.999, kAdamEpsilon = 1e-8;

// Holds what all parameters share in a step.
struct AdamStep {
  float step_size;     // the learning rate, with the correction of the mean
  float square_scale;  // the correction of the square root
};

// Returns step t, counted from 1, of a training whose learning rate shrinks by the factor rate_decay at each step.
BEATSCAN_HOST_DEVICE inline AdamStep adam_step(double t, double learning_rate, double rate_decay) {
  return {static_cast<float>(learning_rate * std::pow(rate_decay, t - 1) / (1 - std::pow(kAdamBeta1, t))),
          static_cast<float>(1 / std::sqrt(1 - std::pow(kAdamBeta2, t)))};
}

// Takes in the gradient of a parameter, and returns what to subtract from the parameter.
//   mean, square  the moments of its gradients, changed in place
BEATSCAN_HOST_DEVICE inline float adam_change(float gradient, AdamStep step, float& mean, float& square) {
  constexpr auto kOld1 = static_cast<float>(kAdamBeta1), kNew1 = static_cast<float>(1 - kAdamBeta1);
  constexpr auto kOld2 = static_cast<float>(kAdamBeta2), kNew2 = static_cast<float>(1 - kAdamBeta2);
  mean = kOld1 * mean + kNew1 * gradient;
  square = kOld2 * square + kNew2 * gradient * gradient;
  return step.step_size * mean / (std::sqrt(square) * step.square_scale + static_cast<float>(kAdamEpsilon));
}

}  // namespace beatscan
