// stages/reference/filter.h — the QRS filter of the published pipeline: convolution with a Ricker wavelet.
#pragma once

#include <optional>

#include "kernels/runtime/buffer.h"

namespace beatscan {

struct FilterOptions;

// Returns the response [N] of a signal [N], see convolve_circular.h.
// Throws ErrorKind::unanalysable if the signal is shorter than the wavelet, and ErrorKind::usage if the wavelet is too
// long or `width` is in seconds and the sampling rate is not known.
template <class Real, class Context>
Buffer<Real, Context> ricker_response(Context&, std::span<const float> signal, const FilterOptions& options,
                                      std::optional<double> sample_rate_hz);

}  // namespace beatscan
