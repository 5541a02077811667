#include "kernels/random.h"

#include <algorithm>
#include <vector>

#include "kernels/check.h"
#include "kernels/parallel.h"
#include "kernels/random_common.h"

namespace beatscan {

void shuffle(Cpu& cpu, RandomKey key, std::span<const std::int32_t> items, std::span<std::int32_t> shuffled) {
  BEATSCAN_EXPECTS(items.empty() || items.size() == shuffled.size(), "shuffle: bad shape");
  const std::int32_t* first_item = items.empty() ? nullptr : items.data();
  std::vector<std::uint64_t> keys(shuffled.size());
  parallel_for(cpu, std::ssize(keys), 1 << 14, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) keys[i] = shuffle_key(key, first_item, i);
  });
  std::ranges::sort(keys);
  std::ranges::transform(keys, shuffled.begin(), [](std::uint64_t k) { return static_cast<std::int32_t>(k); });
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
