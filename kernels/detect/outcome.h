// kernels/detect/outcome.h — whether a candidate beat is accepted, or the reason for its rejection.
#pragma once

#include <cstdint>

namespace beatscan {

// The outcome of a candidate beat.
enum class Outcome : std::uint8_t {
  kept,
  too_short,  // shorter than min_samples
  too_long,   // longer than max_samples
  in_gap,     // touches samples that are missing, so that its length is not known
  last,       // has no next start, so no length
};

}  // namespace beatscan
