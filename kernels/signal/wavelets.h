// kernels/signal/wavelets.h — kernels for convolve.h, on the host.
#pragma once

#include <vector>

namespace beatscan {

// The Ricker ("Mexican hat") wavelet of the published pipeline: t = linspace(-3, 3, width), exp(-t^2/2) (1 - t^2) 2 /
// sqrt(width).
std::vector<double> ricker_wavelet(int width);

// A Ricker wavelet as a band-pass filter, whose response to the frequency f is (f/f0)^2 exp(1 - (f/f0)^2): (1 - u^2)
// exp(-u^2/2) with u = t / s, s = 1 / (sqrt(2) pi f0). Odd, cut where it stays below 1e-6 of its largest value, of mean
// 0 (a constant gives exactly 0) and gain 1 at f0.
std::vector<double> band_wavelet(double centre_hz, double sample_rate_hz);

// A Gaussian of sum 1. Odd, cut below 1e-6 of its largest value.
std::vector<double> gaussian(double sigma_s, double sample_rate_hz);

}  // namespace beatscan
