// kernels/rhythm/line_fits.h — how far boxes of a list are from straight lines.
#pragma once

#include <cstdint>
#include <span>

namespace beatscan {

// Returns the sum over the boxes of n values each of the squared distances from the line that fits the box best. What
// is left behind the last whole box does not count.
//   n  2 or more
// All processors compute the same bits: boxes are added up in order, and so are the values of a box.
double squares_around_lines(std::span<const double> values, std::int64_t n);

}  // namespace beatscan
