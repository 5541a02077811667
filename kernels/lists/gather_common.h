// kernels/lists/gather_common.h — one element, for both back ends.
#pragma once

#include <cstdint>

#include "kernels/runtime/portable.h"

namespace beatscan {

template <class T>
struct Gather {
  const T* values;
  const std::int64_t* indices;
  T* chosen;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const { chosen[i] = values[indices[i]]; }
};

struct SpreadEvenly {
  const std::int64_t* list;
  std::int64_t size, count;
  std::int64_t* chosen;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const { chosen[i] = list[i * size / count]; }
};

struct Narrow {
  const std::int64_t* numbers;
  std::int32_t* narrow;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const { narrow[i] = static_cast<std::int32_t>(numbers[i]); }
};

}  // namespace beatscan
