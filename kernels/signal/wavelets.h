// kernels/signal/wavelets.h — makes taps for convolve.h and convolve_circular.h, on the host.
#pragma once

#include <vector>

namespace beatscan {

inline constexpr int kMaxTaps = 4096;  // that convolutions take

// Returns the Ricker ("Mexican hat") wavelet of the published pipeline: exp(-t^2/2) (1 - t^2) 2 / sqrt(width) at
// t = linspace(-3, 3, width).
std::vector<double> ricker_wavelet(int width);

// Returns a Ricker wavelet as a band-pass filter around f0 = centre_hz: (1 - u^2) exp(-u^2/2) with u = t / s and
// s = 1 / (sqrt(2) pi f0). Its response to the frequency f is (f/f0)^2 exp(1 - (f/f0)^2), so its gain at f0 is 1. It
// has an odd number of taps, is cut where it stays below 1e-6 of its largest value, and has mean 0: a constant gives
// exactly 0.
std::vector<double> band_wavelet(double centre_hz, double sample_rate_hz);

// Returns a Gaussian of sum 1. It has an odd number of taps and is cut below 1e-6 of its largest value.
std::vector<double> gaussian(double sigma_s, double sample_rate_hz);

}  // namespace beatscan
