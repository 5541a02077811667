// kernels/detect/beats.h — turns starts of beats into candidates, and candidates into rows of one length.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/detect/outcome.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// A candidate reaches from its start to the next start. It is kept if min_samples <= length <= max_samples.
struct LengthLimits {
  std::int64_t min_samples, max_samples;
};

// Writes the outcome of each candidate. A wrong shape throws ErrorKind::internal, here and below.
//   starts                  [S] ascending
//   gap_firsts, gap_lasts   [G] first and last sample of each gap, ascending
//   outcomes                [S]
//   kept                    [words_for(S)] the set of those that are kept, see bits.h
void classify_candidates(Cpu&, std::span<const std::int64_t> starts, LengthLimits limits,
                         std::span<const std::int64_t> gap_firsts, std::span<const std::int64_t> gap_lasts,
                         std::span<Outcome> outcomes, std::span<std::uint32_t> kept);
void classify_candidates(Cuda&, std::span<const std::int64_t> starts, LengthLimits limits,
                         std::span<const std::int64_t> gap_firsts, std::span<const std::int64_t> gap_lasts,
                         std::span<Outcome> outcomes, std::span<std::uint32_t> kept);

// Makes a row of each kept candidate:
//   rows[b][j] = signal(starts[kept[b]] + j step)  while j step < length, then zeros
// Between samples the signal is a straight line. With step = 1 the row holds the raw samples.
//   signal  [N]
//   starts  [S]
//   kept    [B] indices into starts, each below S - 1
//   rows    [B][D]
void embed_rows(Cpu&, std::span<const float> signal, std::span<const std::int64_t> starts,
                std::span<const std::int64_t> kept, double step_samples, std::int64_t row_length,
                std::span<float> rows);
void embed_rows(Cuda&, std::span<const float> signal, std::span<const std::int64_t> starts,
                std::span<const std::int64_t> kept, double step_samples, std::int64_t row_length,
                std::span<float> rows);
}  // namespace beatscan
