// tests/support/convolution.h — the reference for convolutions: the definition, in long double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/support/backends.h"

namespace beatscan {

// Relative to the largest value, float32 transforms err by a few 2^-24 times the root of log N, and float64 ones by
// 2^-53.
template <class Real>
inline constexpr double kTolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-12;

template <class Real>
void expect_near(const std::vector<Real>& response, const std::vector<long double>& expected) {
  ASSERT_EQ(response.size(), expected.size());
  long double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::fabs(expected[i]));
    const long double difference = std::fabs(response[i] - expected[i]);
    if (!(difference <= error)) error = difference;  // once it is NaN, the error stays NaN
  }
  EXPECT_LE(error, kTolerance<Real> * largest) << (std::is_same_v<Real, float> ? "float" : "double");
}

inline std::vector<double> random_taps(int width, std::uint64_t seed) {
  const auto values = random_signal<double>(width, seed, 1001);
  std::vector<double> taps(values);
  for (double& tap : taps) tap = tap / 3 + 0.01;
  return taps;
}

}  // namespace beatscan
