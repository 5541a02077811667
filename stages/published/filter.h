// stages/published/filter.h — the QRS filter: convolution with a Ricker wavelet.
#pragma once

#include <optional>

#include "kernels/signal/convolve.h"
#include "stages/common/duration.h"

namespace beatscan {

enum class Precision { float32, float64 };

struct FilterOptions {
  Duration width = seconds(0.12);  // of the wavelet, 30 samples at the published pipeline's 250 Hz
  bool centred = true;             // a peak of the response lies where the signal's does (the width is then odd)
  Precision precision = Precision::float32;  // of transform and response
};

// response [N] of a signal [N], see convolve.h. The wavelet's ends meet: the convolution is circular.
// Throws ErrorKind::unanalysable where the signal is shorter than the wavelet.
template <class Real, class Context>
Buffer<Real, Context> ricker_response(Context&, std::span<const float> signal, const FilterOptions& options,
                                      std::optional<double> sample_rate_hz);

}  // namespace beatscan
