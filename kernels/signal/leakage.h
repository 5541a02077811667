// kernels/signal/leakage.h — how little a stretch of signal differs from a sine: the "VF filter leakage" of Kuo and
// Dillman (Computers in Cardiology 1978). In ventricular flutter and fibrillation it is small.
//
// A window holds P points, `step` samples apart. Everything is computed in integers, so that both back ends agree.
//   q      signal, so that the window and the samples that its filters reach fill 16 bits
//   s      q, smoothed by `sharp`, at the points; in 1/8 of q
//   v      s - (s smoothed by `blunt`), minus its mean in the window
//   lag    floor(pi sum |v_i| / sum |v_i - v_(i-1)| + 1/2) within 1 .. P / 2: half a mean period, in points
//   apart  sum over i >= lag of |v_i + v_(i-lag)|;   together  sum of |v_i| + |v_(i-lag)|
// The leakage is apart / together: 0 for a sine, near 1 for a spike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/context.h"

namespace beatscan {

// The taps of two filters, on the host. Their number is odd, their unit 1 / 4096, and their sum 4096.
struct LeakageFilters {
  int step;                              // samples from point to point, at least 1
  std::vector<std::int32_t> sharp_taps;  // at samples
  std::vector<std::int32_t> blunt_taps;  // at points
};
inline constexpr std::int32_t kTapUnit = 4096;

// Returns the filters: Gaussians of 6 ms and of 150 ms, which leave a band of about 0.7 to 20 Hz, at points of about
// 125 Hz.
LeakageFilters leakage_filters(double sample_rate_hz);

struct Leakage {
  std::int32_t lag;              // points
  float range;                   // of the signal in the middle half of the window
  std::int64_t apart, together;  // 0 where the window is constant
  double share() const { return together > 0 ? static_cast<double>(apart) / static_cast<double>(together) : 1; }
};

inline constexpr int kMostLeakagePoints = 6000;  // P and the points that `blunt` reaches beyond

// Measures windows. Beyond its ends the signal keeps the value at the end.
//   signal  [N] finite
//   firsts  [W] first sample of each window; a window may begin before the signal does
//   points  P, at least 4
//   found   [W]
// A wrong shape throws ErrorKind::internal.
void leakage(Cpu&, std::span<const float> signal, std::span<const std::int64_t> firsts, int points,
             const LeakageFilters& filters, std::span<Leakage> found);
void leakage(Cuda&, std::span<const float> signal, std::span<const std::int64_t> firsts, int points,
             const LeakageFilters& filters, std::span<Leakage> found);

}  // namespace beatscan
