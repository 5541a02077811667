// kernels/templates/shape_widths.h — slopes of a mean beat, of which its width is made (app/output/template_shapes.h).
//
//   slope(j) = sum over k of taps[k] row[j + k - (T - 1) / 2]
// Beyond its ends a row keeps its end values. A wrong shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct WidthRange {
  std::int64_t points, first, last;  // D, and the points whose slopes count
};

// Returns slopes of a row, at first <= j < last.
//   taps  [T], T odd
std::vector<double> slopes_of(std::span<const float> row, WidthRange range, std::span<const double> taps);

// Returns taps that smooth by a Gaussian and take the slope: the difference of the values on either side, halved.
// Beyond four sigmas the Gaussian is cut off.
//   sigma_points  positive
std::vector<double> slope_taps(double sigma_points);

}  // namespace beatscan
