#include "kernels/lists/gather.h"

#include "kernels/lists/gather_common.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

template <class T>
void gather(Cpu& cpu, std::span<const T> values, std::span<const std::int64_t> indices, std::span<T> chosen) {
  BEATSCAN_EXPECTS(indices.size() == chosen.size(), "gather: bad shape");
  each(cpu, static_cast<std::int64_t>(indices.size()), Gather<T>{values.data(), indices.data(), chosen.data()});
}
template void gather(Cpu&, std::span<const float>, std::span<const std::int64_t>, std::span<float>);
template void gather(Cpu&, std::span<const double>, std::span<const std::int64_t>, std::span<double>);
template void gather(Cpu&, std::span<const std::uint8_t>, std::span<const std::int64_t>, std::span<std::uint8_t>);
template void gather(Cpu&, std::span<const std::int64_t>, std::span<const std::int64_t>, std::span<std::int64_t>);

void evenly_spread(Cpu& cpu, std::span<const std::int64_t> list, std::span<std::int64_t> chosen) {
  BEATSCAN_EXPECTS(chosen.size() <= list.size(), "evenly_spread: more than there are");
  const auto size = static_cast<std::int64_t>(list.size()), count = static_cast<std::int64_t>(chosen.size());
  each(cpu, count, SpreadEvenly{list.data(), size, count, chosen.data()});
}

void narrow(Cpu& cpu, std::span<const std::int64_t> numbers, std::span<std::int32_t> narrow) {
  BEATSCAN_EXPECTS(numbers.size() == narrow.size(), "narrow: bad shape");
  each(cpu, static_cast<std::int64_t>(numbers.size()), Narrow{numbers.data(), narrow.data()});
}

}  // namespace beatscan
