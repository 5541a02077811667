// kernels/lists/clear_around.h — sets the values around some places to 0: values[p - reach] .. values[p + reach] for
// each place p. What lies beyond either end of the list is passed over.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

//   places  any number, in any order
//   values  [N]
// A negative reach throws ErrorKind::internal.
void clear_around(Cpu&, std::span<const std::int64_t> places, std::int64_t reach, std::span<float> values);
void clear_around(Cuda&, std::span<const std::int64_t> places, std::int64_t reach, std::span<float> values);

}  // namespace beatscan
