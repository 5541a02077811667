#include "kernels/random.h"

#include <algorithm>
#include <vector>

#include "kernels/parallel.h"
#include "kernels/random_common.h"

namespace beatscan {

void shuffle_indices(Cpu& cpu, RandomKey key, std::span<std::int32_t> indices) {
  std::vector<std::uint64_t> keys(indices.size());
  parallel_for(cpu, std::ssize(keys), 1 << 14, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) keys[i] = shuffle_key(key, i);
  });
  std::ranges::sort(keys);
  std::ranges::transform(keys, indices.begin(), [](std::uint64_t k) { return static_cast<std::int32_t>(k); });
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
