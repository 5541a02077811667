#include "kernels/detect/beat_quality.h"

#include <algorithm>

#include "kernels/detect/beat_quality_common.h"
#include "kernels/detect/detect.h"
#include "kernels/detect/detect_common.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

void block_facts(Cpu& cpu, std::span<const float> signal, std::span<const float> levels, int block,
                 std::span<BlockFacts> facts) {
  const auto n = std::ssize(signal), blocks = std::ssize(facts);
  BEATSCAN_EXPECTS(n > 0 && levels.size() == facts.size() && block > 0 && blocks == level_blocks(n, block),
                   "block_facts: bad shape");
  parallel_for(cpu, blocks, 64, [&](std::int64_t first_block, std::int64_t last_block) {
    for (std::int64_t i = first_block; i < last_block; ++i) {
      const detection::BlockRange range(i, blocks, block, n);
      const auto part = signal.subspan(range.first, range.last - range.first);
      const auto [min, max] = std::ranges::minmax(part);
      BlockFacts own{.min = min, .max = max, .samples = static_cast<std::int32_t>(part.size()), .level = levels[i]};
      const detection::BlockLimits limits(min, max);
      for (std::int64_t j = range.first; j < range.last; ++j) {
        const bool stays = j + 1 < range.last && signal[j + 1] == signal[j];
        own.at_min += stays && signal[j] == min;
        own.at_max += stays && signal[j] == max;
        own.near_min += signal[j] < limits.near_min;
        own.near_max += signal[j] > limits.near_max;
      }
      facts[i] = own;
    }
  });
}

}  // namespace beatscan
