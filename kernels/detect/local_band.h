// kernels/detect/local_band.h — a band of the signal in the few places where it is needed, around candidates and
// beats.
//
//   band(i) = |sum over j of taps[j] signal(i + lead - j)|,  lead = (taps - 1) / 2
// Beyond its ends the signal keeps the value at the end. In a few places this takes less time than a convolution of the
// whole signal. Everything is computed in float64 and in a fixed order, so that both back ends agree to the last bit: a
// sum over places is that of 32 lanes, which are added up in pairs. A wrong shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// heights[c] = sum over |d| <= reach of weights[d + reach] band(at[c] + d)
// The sum leaves out the samples at[c] + d that are not within the recording.
//   signal   [N]
//   taps     [W] on the host, W odd
//   weights  [2 reach + 1] on the host
//   at       [C] samples
void smoothed_band(Cpu&, std::span<const float> signal, std::span<const double> taps, std::span<const double> weights,
                   std::span<const std::int64_t> at, std::span<float> heights);
void smoothed_band(Cuda&, std::span<const float> signal, std::span<const double> taps, std::span<const double> weights,
                   std::span<const std::int64_t> at, std::span<float> heights);

inline constexpr int kRefineReach = 2;  // samples
// The most places around a centre that these functions read.
inline constexpr std::int64_t kMostPlaces = 6144;
// Moves each candidate that is kept to where the height of smoothed_band is largest within kRefineReach; of equal
// heights the first counts. The candidates come from an envelope whose parts were rounded to float32, and of several
// leads from that of all together. The heights here are in float64, so the place may differ by a sample or two.
//   candidates  [C] samples
//   kept        [K] indices of candidates
//   centres     [K] samples
void refine_candidates(Cpu&, std::span<const float> signal, std::span<const double> taps,
                       std::span<const double> weights, std::span<const std::int64_t> candidates,
                       std::span<const std::int64_t> kept, std::span<std::int64_t> centres);
void refine_candidates(Cuda&, std::span<const float> signal, std::span<const double> taps,
                       std::span<const double> weights, std::span<const std::int64_t> candidates,
                       std::span<const std::int64_t> kept, std::span<std::int64_t> centres);

struct RPeakOptions {
  int reach;     // samples on either side of the centre
  double sigma;  // samples: width of the Gaussian weight around the centre
};
// Finds the R peak of each beat: where band(centre + d) exp(-d^2 / (2 sigma^2)), |d| <= reach, is largest; of equal
// values the first counts. Only places count that are nearer to this centre than to the next ones. A parabola through
// the value and its neighbours then gives the place between samples.
//   centres  [K] samples
//   peaks    [K] samples, with fraction, within the recording; strictly ascending if the centres are
void place_r_peaks(Cpu&, std::span<const float> signal, std::span<const double> taps,
                   std::span<const std::int64_t> centres, const RPeakOptions& options, std::span<double> peaks);
void place_r_peaks(Cuda&, std::span<const float> signal, std::span<const double> taps,
                   std::span<const std::int64_t> centres, const RPeakOptions& options, std::span<double> peaks);

// Make the checks that both back ends share. The second returns the Gaussian weights.
void check_smoothed_band(std::int64_t n, std::int64_t taps, std::int64_t weights, std::int64_t at,
                         std::int64_t heights);
std::vector<double> checked_peak_weights(std::int64_t n, std::int64_t taps, std::int64_t centres, std::int64_t peaks,
                                         const RPeakOptions& options);

}  // namespace beatscan
