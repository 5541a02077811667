#include "kernels/detect/beats.h"

#include <algorithm>

#include "kernels/detect/beats_common.h"
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

}  // namespace beatscan
