// kernels/detect/quality_class.h — classes of signal quality, and what becomes of a detection.
#pragma once

#include <cstdint>

namespace beatscan {

// The quality of a block; stages/quality/quality.h determines it.
enum class Quality : std::uint8_t {
  good,
  flat,     // hardly moves: lead-off, or the heart pauses (stages/quality/quality.h)
  clipped,  // stays at its smallest or largest value, an end of the amplifier's range
  noisy,    // bad rather than good by the signal-quality index: noise, movement, or lost signal
  missing,  // most samples have no value
};

// The outcome of a candidate beat.
enum class Outcome : std::uint8_t {
  kept,
  too_short,  // shorter than min_samples
  too_long,   // longer than max_samples
  in_gap,     // touches samples that are missing, so that its length is not known
  last,       // has no next start, so no length
};

}  // namespace beatscan
