// kernels/signal/direct_sums.h — convolution by its definition, on the host.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/signal/convolve.h"

namespace beatscan {

// sums[i] = sum over j of taps[j] * x[i - j], i = 0 .. n - 1, in float64 and in the order of j. There must be width - 1
// samples before x[0].
void direct_sums(const float* x, const double* taps, std::int64_t width, double* sums, std::int64_t n);

// Returns sample i of the signal, which may lie up to the signal's length beyond its ends.
float sample_at(const SignalPart& signal, std::int64_t i, Beyond beyond);

}  // namespace beatscan
