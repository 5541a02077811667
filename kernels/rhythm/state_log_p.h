// kernels/rhythm/state_log_p.h — log probabilities of states at each beat: a multinomial regression over statistics of
// measures in windows of beats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/context.h"

namespace beatscan {

enum class WindowStatistic : std::int32_t { mean, least, most, deviation };

// A standardised statistic of a measure over a beat and `reach` beats on either side, without values that are not
// finite:
//   z = (statistic - mean) / deviation within -kMostDeviations .. kMostDeviations; 0 if no value exists
// Means and deviations are computed in double, and rounded to float.
inline constexpr float kMostDeviations = 4;
struct WindowFeature {
  WindowStatistic statistic;
  std::int32_t reach;  // 0 .. kMostWindowReach
  float mean, deviation;
};
inline constexpr int kMostWindowReach = 1000;

// A regression on features of M measures. Features stand measure by measure, those of a measure by ascending reach.
struct WindowRegression {
  std::vector<const float*> measures;          // [M] the values of each, [K] in the context's memory
  std::vector<std::int32_t> first_feature{0};  // [M + 1]
  std::vector<WindowFeature> features;         // [F]
  std::vector<StateValues> weight;             // [F]
  StateValues intercept{};                     // -infinity of a state that the model does not have

  std::int64_t size() const { return std::ssize(measures); }  // M
};

// log_p[i][s] = log softmax over s of intercept[s] + sum_f weight[f][s] z[f][i], added up in float32 in the order of f
//   log_p  [K]
// Any number of threads gives the same bits. Back ends differ in the last bits of logarithms and exponentials. A wrong
// shape throws ErrorKind::internal.
void state_log_p(Cpu&, const WindowRegression& regression, std::span<StateValues> log_p);
void state_log_p(Cuda&, const WindowRegression& regression, std::span<StateValues> log_p);

// Makes the checks that both back ends share.
void check_regression(const WindowRegression& regression);

}  // namespace beatscan
