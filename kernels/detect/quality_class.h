// kernels/detect/quality_class.h — the quality of a block of signal.
#pragma once

#include <cstdint>

namespace beatscan {

// The quality of a block; stages/quality/quality.h determines it.
enum class Quality : std::uint8_t {
  good,
  flat,     // hardly moves: lead-off, or the heart pauses (stages/quality/flat.h)
  clipped,  // stays at its smallest or largest value, an end of the amplifier's range
  noisy,    // bad rather than good by the signal-quality index: noise, movement, or lost signal
  missing,  // most samples have no value
};

}  // namespace beatscan
