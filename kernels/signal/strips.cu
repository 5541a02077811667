#include "kernels/runtime/launch.cuh"
#include "kernels/signal/strips.h"
#include "kernels/signal/strips_common.h"

namespace beatscan {

void cut_strips(Cuda& cuda, std::span<const float> values, std::span<const std::int64_t> firsts,
                std::span<float> strips) {
  const auto size = static_cast<std::int64_t>(strips.size());
  const std::int64_t length = checked_strip(static_cast<std::int64_t>(firsts.size()), size);
  each(cuda, size,
       StripValue{values.data(), static_cast<std::int64_t>(values.size()), firsts.data(), length, strips.data()});
}

}  // namespace beatscan
