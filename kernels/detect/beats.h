// kernels/detect/beats.h — turns starts of beats into candidates, and candidates into rows of one length.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/detect/quality_class.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"

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

// Returns whether any gap overlaps [first, last). Gaps are ascending and disjoint, so it checks the first gap that ends
// at or after `first`.
BEATSCAN_HOST_DEVICE inline bool touches_gap(const std::int64_t* gap_firsts, const std::int64_t* gap_lasts,
                                             std::int64_t gaps, std::int64_t first, std::int64_t last) {
  const std::int64_t gap = first_not_below(gap_lasts, gaps, first);
  return gap < gaps && gap_firsts[gap] < last;
}

BEATSCAN_HOST_DEVICE inline Outcome outcome_of(const std::int64_t* starts, std::int64_t size, std::int64_t i,
                                               LengthLimits limits, const std::int64_t* gap_firsts,
                                               const std::int64_t* gap_lasts, std::int64_t gaps) {
  if (i + 1 == size) return Outcome::last;
  const std::int64_t length = starts[i + 1] - starts[i];
  if (touches_gap(gap_firsts, gap_lasts, gaps, starts[i], starts[i + 1])) return Outcome::in_gap;
  if (length < limits.min_samples) return Outcome::too_short;
  return length > limits.max_samples ? Outcome::too_long : Outcome::kept;
}

// Returns the signal's value `offset` samples after `start`, or 0 after the beat's length.
BEATSCAN_HOST_DEVICE inline float row_element(const float* signal, std::int64_t n, std::int64_t start,
                                              std::int64_t length, double offset) {
  if (offset >= static_cast<double>(length)) return 0;
  const auto whole = static_cast<std::int64_t>(offset);
  const std::int64_t i = start + whole;
  const auto fraction = static_cast<float>(offset - static_cast<double>(whole));
  return fraction == 0 ? signal[i] : interpolate(signal[i], signal[i + 1 < n ? i + 1 : i], fraction);
}

// Facts about each block of a signal: its range, and where its values lie.
//
//   N samples in B blocks, which are cut like those of the local levels (kernels/detect/detect.h)

inline constexpr float kEndShare = 0.2f;  // share of a block's range that lies near each of its ends

struct BlockFacts {
  float min, max;                   // of the signal
  std::int32_t at_min, at_max;      // samples of a plateau: they and the sample after them equal the min (or max)
  std::int32_t near_min, near_max;  // samples in the lowest (or highest) fifth of the block's range
  std::int32_t samples;             // all samples of the block
  float level;                      // the local level; 0 where detection has none for the signal
};

// Collects the facts of each block. A wrong shape throws ErrorKind::internal.
//   signal  [N]
//   levels  [B] local levels of its envelope, see kernels/detect/detect.h
//   block   samples of a block
//   facts   [B] with B = level_blocks(N, block)
void block_facts(Cpu&, std::span<const float> signal, std::span<const float> levels, int block,
                 std::span<BlockFacts> facts);
void block_facts(Cuda&, std::span<const float> signal, std::span<const float> levels, int block,
                 std::span<BlockFacts> facts);

}  // namespace beatscan

namespace beatscan::detection {

struct BlockLimits {
  float near_min, near_max;
  BEATSCAN_HOST_DEVICE BlockLimits(float min, float max)
      : near_min(interpolate(min, max, kEndShare)), near_max(interpolate(max, min, kEndShare)) {}
};

}  // namespace beatscan::detection
