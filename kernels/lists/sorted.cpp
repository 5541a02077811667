#include "kernels/lists/sorted.h"

#include <algorithm>

namespace beatscan {

Buffer<float, Cpu> sorted(Cpu& cpu, std::span<const float> values) {
  Buffer<float, Cpu> result(cpu, std::ssize(values));
  std::ranges::copy(values, result.data());
  std::ranges::sort(result.span());
  return result;
}

}  // namespace beatscan
