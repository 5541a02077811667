// kernels/shapes/shape_widths.h — how wide a QRS complex is, by its slopes.
//
//   slope_l(j) = median_slopes_l[j - first] + spread_l sum over k of taps[k] rows_l[b][j + k - (T - 1) / 2]
//   E(j)       = sqrt(sum over l of weight_l slope_l(j)^2)
//   width      = (sum over j of E)^2 / sum over j of E^2          first <= j < last, in points of a row
// Beyond its ends a row keeps its end values. Of a beat without any slope the width is 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/context.h"

namespace beatscan {

struct WidthLead {
  std::span<const float> rows;            // [B][D]
  std::span<const double> median_slopes;  // [last - first]
  double spread, weight;
};

struct WidthRange {
  std::int64_t points, first, last;  // D, and the points whose slopes count
};

inline constexpr std::size_t kMostWidthLeads = 64;

// Computes the widths of some beats from 1 to kMostWidthLeads leads. A wrong shape throws ErrorKind::internal.
//   beats   [C] indices of rows
//   taps    [T], T odd
//   widths  [C]
void shape_widths(Cpu&, std::span<const WidthLead> leads, WidthRange range, std::span<const std::int64_t> beats,
                  std::span<const double> taps, std::span<double> widths);
void shape_widths(Cuda&, std::span<const WidthLead> leads, WidthRange range, std::span<const std::int64_t> beats,
                  std::span<const double> taps, std::span<double> widths);

// Returns slopes of a row on the host, at first <= j < last.
std::vector<double> slopes_of(std::span<const float> row, WidthRange range, std::span<const double> taps);

// Returns taps that smooth by a Gaussian and take the slope: the difference of the values on either side, halved.
// Beyond four sigmas the Gaussian is cut off.
//   sigma_points  positive
std::vector<double> slope_taps(double sigma_points);

}  // namespace beatscan
