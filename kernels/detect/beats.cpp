#include "kernels/detect/beats.h"

#include <algorithm>

#include "kernels/detect/detect.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

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

namespace {

// Counts the facts of one block, W samples at a time.
struct FactsOfBlock {
  template <int W>
  BEATSCAN_INLINE static void run(const float* x, std::int64_t size, BlockFacts* facts) {
    float min = x[0], max = x[0];
    Floats<W> least = Floats<W>{} + min, most = least;
    std::int64_t j = 0;
    for (; j + W <= size; j += W) {
      const Floats<W> value = load<W>(x + j);
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
    for (; j < size; ++j) least[0] = std::min(least[0], x[j]), most[0] = std::max(most[0], x[j]);
    for (int lane = 0; lane < W; ++lane) min = std::min(min, least[lane]), max = std::max(max, most[lane]);
    facts->min = min;
    facts->max = max;
    count<W>(x, size, *facts);
  }

  template <int W>
  BEATSCAN_INLINE static void count(const float* x, std::int64_t size, BlockFacts& facts) {
    const detection::BlockLimits limits(facts.min, facts.max);
    const Ints<W> one = Ints<W>{} + 1, none = {};
    Ints<W> at_min = {}, at_max = {}, near_min = {}, near_max = {};
    std::int64_t j = 0;
    for (; j + W + 1 <= size; j += W) {
      const Floats<W> value = load<W>(x + j), next = load<W>(x + j + 1);
      const Ints<W> stays = value == next ? one : none;
      at_min += value == facts.min ? stays : none;
      at_max += value == facts.max ? stays : none;
      near_min += value < limits.near_min ? one : none;
      near_max += value > limits.near_max ? one : none;
    }
    for (int lane = 0; lane < W; ++lane) {
      facts.at_min += at_min[lane];
      facts.at_max += at_max[lane];
      facts.near_min += near_min[lane];
      facts.near_max += near_max[lane];
    }
    for (; j < size; ++j) {
      const bool stays = j + 1 < size && x[j + 1] == x[j];
      facts.at_min += stays && x[j] == facts.min;
      facts.at_max += stays && x[j] == facts.max;
      facts.near_min += x[j] < limits.near_min;
      facts.near_max += x[j] > limits.near_max;
    }
  }
};

}  // namespace

void block_facts(Cpu& cpu, std::span<const float> signal, std::span<const float> levels, int block,
                 std::span<BlockFacts> facts) {
  const auto n = std::ssize(signal), blocks = std::ssize(facts);
  BEATSCAN_EXPECTS(n > 0 && levels.size() == facts.size() && block > 0 && blocks == level_blocks(n, block),
                   "block_facts: bad shape");
  parallel_for(cpu, blocks, 64, [&](std::int64_t first_block, std::int64_t last_block) {
    for (std::int64_t i = first_block; i < last_block; ++i) {
      const detection::BlockRange range(i, blocks, block, n);
      const std::int64_t size = range.last - range.first;
      facts[i] = {.samples = static_cast<std::int32_t>(size), .level = levels[i]};
      OnProcessor<FactsOfBlock>::run(&signal[range.first], size, &facts[i]);
    }
  });
}

}  // namespace beatscan
