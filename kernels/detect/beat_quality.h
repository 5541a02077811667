// kernels/detect/beat_quality.h — facts about each block of a signal: its range, and where its values lie.
//
//   N samples in B blocks, which are cut like those of the local levels (kernels/detect/detect.h)
#pragma once

#include <cstdint>
#include <span>

#include "kernels/detect/quality_class.h"
#include "kernels/runtime/context.h"

namespace beatscan {

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
