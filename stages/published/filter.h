// stages/published/filter.h — the QRS filter of the published pipeline: convolution with a Ricker wavelet.
#pragma once

#include <optional>

#include "kernels/runtime/buffer.h"
#include "stages/common/duration.h"

namespace beatscan {

enum class Precision { float32, float64 };

struct FilterOptions {
  Duration width = seconds(0.12);  // length of the wavelet: 30 samples at the published pipeline's 250 Hz
  bool centred = true;  // whether a peak of the response lies where the signal's does; makes the wavelet's length odd
  Precision precision = Precision::float32;  // both the transform and the response have it
};

// Returns the response [N] of a signal [N], see convolve_circular.h.
// Throws ErrorKind::unanalysable if the signal is shorter than the wavelet, and ErrorKind::usage if the wavelet is too
// long or `width` is in seconds and the sampling rate is not known.
template <class Real, class Context>
Buffer<Real, Context> ricker_response(Context&, std::span<const float> signal, const FilterOptions& options,
                                      std::optional<double> sample_rate_hz);

}  // namespace beatscan
