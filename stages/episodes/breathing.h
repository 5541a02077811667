// stages/episodes/breathing.h — how far RR intervals go up and down as with breathing. Atrial fibrillation has no such
// waves, however irregular it is.
//
//   r_k    autocorrelation of x at a lag of k intervals, within windows of kBreathWindow intervals; the mean of a
//          window is subtracted, and each window overlaps the one before by half
//   waves  largest r_k - r_j with 1 <= j < k <= kBreathLags: a wave of k intervals is at its opposite on the way
// A slow change of the rate lifts all r_k alike, and is no wave.
#pragma once

#include <cstddef>
#include <span>

namespace beatscan {

inline constexpr int kBreathWindow = 64, kBreathLags = 12;

// Returns the median of `waves` over all windows, from 0 to 2; 0 for fewer intervals than a window has.
//   x  RR intervals that follow each other, but for those that are not usable
double breathing_waves(std::span<const double> x, std::ptrdiff_t window = kBreathWindow);

}  // namespace beatscan
