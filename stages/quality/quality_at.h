// stages/quality/quality_at.h — the quality of a lead at one sample.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kernels/detect/quality_class.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {

// Returns the quality of the block that a sample lies in. The sample may have a fraction, as an R peak has.
inline Quality quality_at(const SignalQuality& quality, double sample) {
  const auto block = static_cast<std::int64_t>(sample) / quality.block_samples;
  return quality.blocks[std::min(block, std::ssize(quality.blocks) - 1)];
}

}  // namespace beatscan
