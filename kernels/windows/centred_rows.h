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

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

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

}  // namespace beatscan
