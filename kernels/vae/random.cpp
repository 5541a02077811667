#include "kernels/vae/random.h"

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/vae/random_common.h"

namespace beatscan {

void shuffle(Cpu& cpu, RandomKey key, std::span<const std::int32_t> items, std::span<std::int32_t> shuffled) {
  BEATSCAN_EXPECTS(items.empty() || items.size() == shuffled.size(), "shuffle: bad shape");
  BEATSCAN_EXPECTS(shuffled.size() < (std::size_t{1} << 31), "shuffle: too many items");
  const Permutation permutation(key, std::ssize(shuffled));
  parallel_for(cpu, std::ssize(shuffled), 1 << 14, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::uint32_t source = permutation(static_cast<std::uint32_t>(i));
      shuffled[i] = items.empty() ? static_cast<std::int32_t>(source) : items[source];
    }
  });
}

void fill_normal(Cpu& cpu, RandomKey key, std::span<float> values) {
  const auto n = std::ssize(values);
  parallel_for(cpu, (n + 1) / 2, 1 << 13, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const NormalPair pair = normal_pair(key, i);
      values[2 * i] = pair.first;
      if (2 * i + 1 < n) values[2 * i + 1] = pair.second;
    }
  });
}

}  // namespace beatscan
