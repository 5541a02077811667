#include "kernels/detect/beats.h"

#include <algorithm>

#include "kernels/detect/detect.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

void classify_candidates(Cpu&, std::span<const std::int64_t> starts, LengthLimits limits,
                         std::span<const std::int64_t> gap_firsts, std::span<const std::int64_t> gap_lasts,
                         std::span<Outcome> outcomes, std::span<std::uint32_t> kept) {
  const auto size = std::ssize(starts);
  BEATSCAN_EXPECTS(std::ssize(outcomes) == size && std::ssize(kept) == words_for(size),
                   "classify_candidates: bad shape");
  BEATSCAN_EXPECTS(gap_firsts.size() == gap_lasts.size(), "classify_candidates: gap firsts and lasts differ");
  std::ranges::fill(kept, 0u);
  for (std::int64_t i = 0; i < size; ++i) {
    outcomes[i] =
        outcome_of(starts.data(), size, i, limits, gap_firsts.data(), gap_lasts.data(), std::ssize(gap_firsts));
    if (outcomes[i] == Outcome::kept) kept[i / 32] |= 1u << (i % 32);
  }
}

void embed_rows(Cpu& cpu, std::span<const float> signal, std::span<const std::int64_t> starts,
                std::span<const std::int64_t> kept, double step_samples, std::int64_t row_length,
                std::span<float> rows) {
  BEATSCAN_EXPECTS(row_length > 0 && step_samples > 0 && std::ssize(rows) == std::ssize(kept) * row_length,
                   "embed_rows: rows are not [kept][row_length]");
  parallel_for(cpu, std::ssize(kept), 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t start = starts[kept[row]], length = starts[kept[row] + 1] - start;
      for (std::int64_t j = 0; j < row_length; ++j)
        rows[row * row_length + j] =
            row_element(signal.data(), std::ssize(signal), start, length, static_cast<double>(j) * step_samples);
    }
  });
}

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
