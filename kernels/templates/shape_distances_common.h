// kernels/templates/shape_distances_common.h — the distance that both back ends of shape_distances compute.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/runtime/portable.h"

namespace beatscan {

// Each operation is rounded to double and the result to float. No sum follows a product here that could be fused with
// it: the products are integers, or go into a square root.
BEATSCAN_HOST_DEVICE inline float distance_of_squares(std::int64_t square_a, std::int64_t square_b,
                                                      std::int64_t product, double floor) {
  const auto apart = static_cast<double>(square_a + square_b - 2 * product);
  const double size = sqrt(static_cast<double>(square_a) * static_cast<double>(square_b));
  return static_cast<float>(apart / (size + floor));
}

}  // namespace beatscan
