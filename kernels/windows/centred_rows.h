// kernels/windows/centred_rows.h — rows of one length around given moments, low-passed, minus the baseline, on one
// scale.
//   rows[b][j] = factor (v[b][j] - mean over j of v[b][j]) - offset[j]
//   v[b][j]    = smooth(p) - baseline(p),  p = centres[b] - before + j step  (samples, with fraction)
// This holds for points p within the recording, and means are over these points alone. Elsewhere a row is 0, as if the
// beat were equal to `offset`.
//   smooth(p)    a polyphase filter: the weighted mean of the samples around p, with Gaussian weights that are
//                tabulated for kRowPhases places between two samples; beyond its ends the signal keeps the end values
//   baseline(p)  the straight line between the centres of blocks
// A wrong shape throws ErrorKind::internal.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

inline constexpr int kRowPhases = 64;

// Row f of the weights is for a place f / kRowPhases of the way from sample i to i + 1. Its tap k belongs to sample
// i + k - (taps / 2 - 1). Each row sums to 1.
struct RowFilter {
  int taps;                    // even
  std::vector<float> weights;  // [kRowPhases + 1][taps]
};
RowFilter row_filter(double sigma_samples);

struct RowPlaces {
  double before, step;  // samples
};

// Computes the mean of each block of `width` samples; the last block may be shorter.
//   means  [ceil(N / width)]
void block_means(Cpu&, std::span<const float> signal, std::int64_t width, std::span<float> means);
void block_means(Cuda&, std::span<const float> signal, std::int64_t width, std::span<float> means);

// Makes the rows that the formula above defines.
//   signal    [N] finite
//   baseline  [ceil(N / width)] values at the centres of blocks of `width` samples
//   centres   [B] samples
//   offset    [D], or empty for none
//   rows      [B][D], D = points
void centred_rows(Cpu&, std::span<const float> signal, std::span<const float> baseline, std::int64_t width,
                  std::span<const double> centres, RowPlaces places, const RowFilter& filter, float factor,
                  std::span<const float> offset, std::int64_t points, std::span<float> rows);
void centred_rows(Cuda&, std::span<const float> signal, std::span<const float> baseline, std::int64_t width,
                  std::span<const double> centres, RowPlaces places, const RowFilter& filter, float factor,
                  std::span<const float> offset, std::int64_t points, std::span<float> rows);

// Make the checks that both back ends share.
void check_block_means(std::int64_t n, std::int64_t width, std::int64_t means);
void check_centred_rows(std::int64_t n, std::int64_t baseline, std::int64_t width, std::int64_t centres,
                        RowPlaces places, const RowFilter& filter, std::int64_t offset, std::int64_t points,
                        std::int64_t rows);

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
