// kernels/windows/centred_rows_common.h — one point of one row, for both back ends.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/runtime/portable.h"
#include "kernels/windows/centred_rows.h"

namespace beatscan {

// The range of those points of a row that are within a recording of n samples. The row's first point is at `first`.
struct PointsInside {
  std::int64_t begin = 0, end;
  BEATSCAN_HOST_DEVICE PointsInside(double first, double step, std::int64_t n, std::int64_t points) : end(points) {
    if (first < 0) begin = static_cast<std::int64_t>(ceil(-first / step));
    if (begin > points) begin = points;
    const double last = (static_cast<double>(n - 1) - first) / step;
    if (last < static_cast<double>(points - 1)) end = last < 0 ? 0 : static_cast<std::int64_t>(last) + 1;
    if (end < begin) end = begin;
  }
  BEATSCAN_HOST_DEVICE bool has(std::int64_t j) const { return j >= begin && j < end; }
  BEATSCAN_HOST_DEVICE std::int64_t count() const { return end - begin; }
};

// Computes one point of one row. kTaps is the number of the filter's taps if the compiler is to know it, or else 0.
template <int kTaps = 0>
struct RowPoint {
  const float* signal;
  std::int64_t n;
  const float* baseline;
  std::int64_t blocks;
  double width;          // samples of a block
  const float* weights;  // the filter's weight of a phase and a tap is at phase * phase_stride + tap * tap_stride
  int any_taps, phase_stride, tap_stride;

  BEATSCAN_HOST_DEVICE float smooth(double p) const {
    const int taps = kTaps > 0 ? kTaps : any_taps;
    const double whole = floor(p);
    const float* weight = weights + static_cast<int>((p - whole) * kRowPhases + 0.5) * phase_stride;
    const std::int64_t first = static_cast<std::int64_t>(whole) - (taps / 2 - 1);
    float sum = 0;
    if (first >= 0 && first + taps <= n) {
      for (int k = 0; k < taps; ++k) sum += weight[k * tap_stride] * signal[first + k];
      return sum;
    }
    for (int k = 0; k < taps; ++k) {
      const std::int64_t i = first + k;
      sum += weight[k * tap_stride] * signal[i < 0 ? 0 : i < n ? i : n - 1];
    }
    return sum;
  }

  BEATSCAN_HOST_DEVICE float base(double p) const {
    const double q = (p + 0.5) / width - 0.5;
    if (q <= 0) return baseline[0];
    const auto i = static_cast<std::int64_t>(q);
    if (i + 1 >= blocks) return baseline[blocks - 1];
    return interpolate(baseline[i], baseline[i + 1], static_cast<float>(q - static_cast<double>(i)));
  }

  BEATSCAN_HOST_DEVICE float operator()(double p) const { return smooth(p) - base(p); }
};

}  // namespace beatscan
