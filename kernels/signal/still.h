// kernels/signal/still.h — stretches of a signal that stay at one value: of a lead that is off, or at the end of its
// amplifier's range.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// Marks the first and the last sample of each stretch of `least` >= 2 or more equal samples. A wrong shape throws
// ErrorKind::internal.
//   x              [N]
//   firsts, lasts  [words_for(N)] sets of positions (bits.h), in which no bit is set yet
void mark_still(Cpu&, std::span<const float> x, std::int64_t least, std::span<std::uint32_t> firsts,
                std::span<std::uint32_t> lasts);
void mark_still(Cuda&, std::span<const float> x, std::int64_t least, std::span<std::uint32_t> firsts,
                std::span<std::uint32_t> lasts);

}  // namespace beatscan
