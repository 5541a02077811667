// stages/rhythm/hrv_nonlinear.h — heart rate variability by the Poincaré plot, by fluctuation analysis, and by
// phase-rectified signal averaging.
//
//   x_i       NN, milliseconds; those of a recording follow each other, whatever was left out between them
//   SD1, SD2  standard deviation of (x_i+1 - x_i) / sqrt(2) and of (x_i+1 + x_i) / sqrt(2) over the pairs of hrv.h,
//             divided by n - 1; two pairs at least. Brennan, Palaniswami and Kamen 2001
//   DFA       detrended fluctuation analysis, the slope of log F(n) over log n by least squares, with
//             y(k) = sum of x_i - mean(x) for i <= k, cut from its start into boxes of n values, and
//             F(n) = root of the mean squared distance of y from the straight line fitted in each box.
//             alpha1 has the boxes n = 4 .. 16, alpha2 n = 16 .. 64. Peng, Havlin, Stanley and Goldberger 1995. The
//             longest box is at most a quarter of the values, as in PhysioNet's `dfa`: 64 NN, and 256 NN
//   DC        deceleration capacity: the mean of (x_i + x_i+1 - x_i-1 - x_i-2) / 4 over the anchors, which are the x_i
//             above x_i-1, by 5 % at most, with all four in a row. Bauer, Kantelhardt, Barthel et al. 2006, with T = 1
//             and s = 2; one anchor at least
#pragma once

#include <optional>
#include <span>

namespace beatscan {

struct NnIntervals;

struct Poincare {
  std::optional<double> sd1_ms, sd2_ms;
};

Poincare poincare_of(const NnIntervals& nn);

// Sizes of the boxes of DFA.
struct BoxSizes {
  int shortest, longest;
};
inline constexpr BoxSizes kShortBoxes{4, 16}, kLongBoxes{16, 64};

// Returns the slope of DFA; nullopt of too few values, and if a box size has no fluctuation.
std::optional<double> fluctuation_exponent(std::span<const double> nn_ms, BoxSizes boxes);

// Returns the deceleration capacity in milliseconds; nullopt without an anchor.
std::optional<double> deceleration_capacity(const NnIntervals& nn);

}  // namespace beatscan
