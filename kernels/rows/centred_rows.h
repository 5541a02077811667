// kernels/rows/centred_rows.h — rows of one length around given moments, low-passed, less the baseline, on one scale.
//   rows[b][j] = factor (v[b][j] - mean over j of v[b][j]) - offset[j]
//   v[b][j]    = smooth(p) - baseline(p),  p = centres[b] - before + j step  (samples, with fraction)
// where p is within the recording, with means over these points alone; 0 elsewhere: there the beat is taken to be as
// `offset` says. smooth(p) is a polyphase filter: the weighted mean of the samples around p with Gaussian weights,
// tabulated for kRowPhases places between two samples; beyond the ends lie the values at the ends. baseline(p) is the
// straight line between the centres of blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan {

inline constexpr int kRowPhases = 64;

// weights [kRowPhases + 1][taps]: row f is for a place f / kRowPhases of the way from sample i to i + 1, its tap k is
// sample i + k - (taps / 2 - 1). Each row sums to 1.
struct RowFilter {
  int taps;  // even
  std::vector<float> weights;
};
RowFilter row_filter(double sigma_samples);

struct RowPlaces {
  double before, step;  // samples
};

// The means of blocks of `width` samples, of the last block as many as there are.  means [ceil(N / width)]
void block_means(Cpu&, std::span<const float> signal, std::int64_t width, std::span<float> means);
void block_means(Cuda&, std::span<const float> signal, std::int64_t width, std::span<float> means);

//   signal    [N] finite
//   baseline  [ceil(N / width)] at the centres of blocks of `width` samples
//   centres   [B] samples
//   offset    [D], or empty for none
//   rows      [B][D], D = points
void centred_rows(Cpu&, std::span<const float> signal, std::span<const float> baseline, std::int64_t width,
                  std::span<const double> centres, RowPlaces places, const RowFilter& filter, float factor,
                  std::span<const float> offset, std::int64_t points, std::span<float> rows);
void centred_rows(Cuda&, std::span<const float> signal, std::span<const float> baseline, std::int64_t width,
                  std::span<const double> centres, RowPlaces places, const RowFilter& filter, float factor,
                  std::span<const float> offset, std::int64_t points, std::span<float> rows);

// The checks that both back ends make.
void check_block_means(std::int64_t n, std::int64_t width, std::int64_t means);
void check_centred_rows(std::int64_t n, std::int64_t baseline, std::int64_t width, std::int64_t centres,
                        RowPlaces places, const RowFilter& filter, std::int64_t offset, std::int64_t points,
                        std::int64_t rows);

}  // namespace beatscan
