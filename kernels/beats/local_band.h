// kernels/beats/local_band.h — a band of the signal in the few places where it is wanted, around candidates and beats:
// there its definition, a sum, beats a transform of everything. In float64 and in one order, so both back ends agree to
// the last bit: sums over places are those of 32 lanes, added up in pairs.
//   band(i) = |sum over j of taps[j] signal(i + lead - j)|, lead = (taps - 1) / 2; beyond its ends the signal keeps the
//             value at the end
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan {

// heights[c] = sum over |d| <= reach of weights[d + reach] band(at[c] + d), where at[c] + d is within the recording
//   signal   [N]
//   taps     [W] on the host, W odd
//   weights  [2 reach + 1] on the host
//   at       [C] samples
void smoothed_band(Cpu&, std::span<const float> signal, std::span<const double> taps, std::span<const double> weights,
                   std::span<const std::int64_t> at, std::span<float> heights);
void smoothed_band(Cuda&, std::span<const float> signal, std::span<const double> taps, std::span<const double> weights,
                   std::span<const std::int64_t> at, std::span<float> heights);

// centres[k] = where within kRefineReach of candidates[kept[k]] smoothed_band's height is largest, the first of equals.
// The candidates come from float32 transforms, which find one of two nearly equal neighbours on one back end and the
// other on the other; from here on they are the same.
//   candidates  [C] samples
//   kept        [K] indices of candidates
//   centres     [K] samples
inline constexpr int kRefineReach = 2;
// Places around a centre that are looked at, at most; here and in the others.
inline constexpr std::int64_t kMostPlaces = 6144;
void refine_candidates(Cpu&, std::span<const float> signal, std::span<const double> taps,
                       std::span<const double> weights, std::span<const std::int64_t> candidates,
                       std::span<const std::int64_t> kept, std::span<std::int64_t> centres);
void refine_candidates(Cuda&, std::span<const float> signal, std::span<const double> taps,
                       std::span<const double> weights, std::span<const std::int64_t> candidates,
                       std::span<const std::int64_t> kept, std::span<std::int64_t> centres);

struct RPeakOptions {
  int reach;     // samples on either side of the centre
  double sigma;  // samples, of the Gaussian weight around it
};
// The R peak of each beat: where band(centre + d) exp(-d^2 / (2 sigma^2)), |d| <= reach, is largest, the first of
// equals, and nearer to this centre than to the next ones; between samples by a parabola through that value and its
// neighbours.
//   centres  [K] samples
//   peaks    [K] samples, with fraction, within the recording; strictly ascending if the centres are
void place_r_peaks(Cpu&, std::span<const float> signal, std::span<const double> taps,
                   std::span<const std::int64_t> centres, const RPeakOptions& options, std::span<double> peaks);
void place_r_peaks(Cuda&, std::span<const float> signal, std::span<const double> taps,
                   std::span<const std::int64_t> centres, const RPeakOptions& options, std::span<double> peaks);

// The checks that both back ends make, and the Gaussian weights of the last.
void check_smoothed_band(std::int64_t n, std::int64_t taps, std::int64_t weights, std::int64_t at,
                         std::int64_t heights);
std::vector<double> checked_peak_weights(std::int64_t n, std::int64_t taps, std::int64_t centres, std::int64_t peaks,
                                         const RPeakOptions& options);

}  // namespace beatscan
