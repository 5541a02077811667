// kernels/signal/clamp.h — a signal between two limits.
#pragma once

#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// clamped[i] = signal[i], but low where it is below low and high where it is above high. A wrong shape, or low > high,
// throws ErrorKind::internal.
//   signal, clamped  [N]
void clamp(Cpu&, std::span<const float> signal, float low, float high, std::span<float> clamped);
void clamp(Cuda&, std::span<const float> signal, float low, float high, std::span<float> clamped);

}  // namespace beatscan
