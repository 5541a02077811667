// kernels/detect/local_band.h — a band of the signal in the few places where it is needed, around candidates and
// beats.
//
//   band(i) = |sum over j of taps[j] signal(i + lead - j)|,  lead = (taps - 1) / 2
// Beyond its ends the signal keeps the value at the end. In a few places this takes less time than a convolution of the
// whole signal. Everything is computed in float64 and in a fixed order, so that both back ends agree to the last bit: a
// sum over places is that of 32 lanes, which are added up in pairs. A wrong shape throws ErrorKind::internal.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/portable.h"

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

// The range among the values [2 reach + 1] around centres[k] in which its R peak may be. It is nearer to this centre
// than to the next ones, so that peaks are in the order of their centres and apart.
struct PeakRange {
  int first, last;
  BEATSCAN_HOST_DEVICE PeakRange(const std::int64_t* centres, std::int64_t count, std::int64_t k, int reach)
      : first(0), last(2 * reach) {
    if (k > 0 && (centres[k] - centres[k - 1]) / 2 < reach)
      first = reach - static_cast<int>((centres[k] - centres[k - 1]) / 2);
    if (k + 1 < count && (centres[k + 1] - centres[k] - 1) / 2 < reach)
      last = reach + static_cast<int>((centres[k + 1] - centres[k] - 1) / 2);
  }
};

// Returns the place of the peak in samples: the vertex of the parabola through weighted[best] and its neighbours.
//   weighted  [2 reach + 1] values around `centre`
//   best      where they are largest within the range
BEATSCAN_HOST_DEVICE inline double peak_between(const double* weighted, int reach, int best, PeakRange range,
                                                std::int64_t centre, std::int64_t n) {
  double peak = static_cast<double>(centre + best - reach);
  if (best > range.first && best < range.last) {
    const double before = weighted[best - 1], behind = weighted[best + 1];
    const double curvature = (before - weighted[best]) + (behind - weighted[best]);
    const double shift = curvature < 0 ? 0.5 * (before - behind) / curvature : 0;
    peak += shift < -0.5 ? -0.5 : shift > 0.5 ? 0.5 : shift;
  }
  const auto last = static_cast<double>(n - 1);
  return peak < 0 ? 0 : peak > last ? last : peak;
}

inline constexpr int kMostPauseTaps = 1025;

// The pause after an R peak reaches from `after` samples after it to `before` samples before the next one.
struct Pause {
  double after, before;  // 0 or more
};

// Measures the filtered signal in the pause after each R peak but the last.
//   powers[i]  = sum over the samples p of pause i of (sum over j of taps[j] signal[p + T / 2 - j])^2
//   lengths[i] = number of these samples
// An invalid RR interval has no pause, and samples within T / 2 of the ends of the signal belong to no pause.
//   signal   [N] finite
//   r_peaks  [K] samples, ascending
//   broken   [K - 1] 1 if samples are missing or flat between R peak i and the next
//   taps     [T] on the host, T odd, T <= kMostPauseTaps
//   powers, lengths  [K - 1]
// A wrong shape throws ErrorKind::internal.
void pause_powers(Cpu&, std::span<const float> signal, std::span<const double> r_peaks,
                  std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                  std::span<double> powers, std::span<std::int32_t> lengths);
void pause_powers(Cuda&, std::span<const float> signal, std::span<const double> r_peaks,
                  std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                  std::span<double> powers, std::span<std::int32_t> lengths);

// The samples of each pause.
struct Pauses {
  const double* r_peaks;
  const std::uint8_t* broken;
  std::int64_t samples, half;  // N, T / 2
  Pause pause;

  struct Samples {
    std::int64_t first, last;  // [first, last)
  };
  BEATSCAN_HOST_DEVICE Samples of(std::int64_t i) const {
    const double begin = ceil(r_peaks[i] + pause.after), end = ceil(r_peaks[i + 1] - pause.before);
    const std::int64_t first = begin > half ? static_cast<std::int64_t>(begin) : half,
                       last = end < samples - half ? static_cast<std::int64_t>(end) : samples - half;
    return {first, broken[i] || last < first ? first : last};
  }
};

inline Pauses checked_pauses(std::span<const float> signal, std::span<const double> r_peaks,
                             std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                             std::span<double> powers, std::span<std::int32_t> lengths) {
  BEATSCAN_EXPECTS(!r_peaks.empty() && broken.size() + 1 == r_peaks.size() && powers.size() == broken.size() &&
                       lengths.size() == broken.size() && taps.size() % 2 == 1 && taps.size() <= kMostPauseTaps &&
                       pause.after >= 0 && pause.before >= 0,
                   "pause_powers: bad shape");
  return {r_peaks.data(), broken.data(), std::ssize(signal), std::ssize(taps) / 2, pause};
}

}  // namespace beatscan
