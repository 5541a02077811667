// kernels/beats/quality.h — facts about each block of a signal that tell whether beats can be seen in it.
//
//   N samples in B blocks, which are cut like those of the local levels (kernels/detection/detect.h)
#pragma once

#include <cstdint>
#include <span>

#include "kernels/beats/quality_class.h"
#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr float kEndShare = 0.2f;  // share of a block's range that lies near each of its ends

struct BlockFacts {
  float min, max;                   // of the signal
  std::int32_t at_min, at_max;      // samples of a plateau: they and the sample after them equal the min (or max)
  std::int32_t near_min, near_max;  // samples in the lowest (or highest) fifth of the block's range
  std::int32_t loud;                // samples whose envelope is above `loud` times the level
  std::int32_t between;             // samples whose envelope is above `low`, and not above `high` times the level
  std::int32_t samples;             // all samples of the block
  float level;                      // the local level; 0 where detection has none for the signal
};

// Heights of the envelope in local levels.
struct EnvelopeHeights {
  float loud, low, high;
};

// Collects the facts of each block. A wrong shape throws ErrorKind::internal.
//   signal    [N]
//   envelope  [N] of the QRS band, see kernels/detection/detect.h
//   levels    [B] local levels
//   block     samples of a block
//   facts     [B] with B = level_blocks(N, block)
void block_facts(Cpu&, std::span<const float> signal, std::span<const float> envelope, std::span<const float> levels,
                 int block, EnvelopeHeights heights, std::span<BlockFacts> facts);
void block_facts(Cuda&, std::span<const float> signal, std::span<const float> envelope, std::span<const float> levels,
                 int block, EnvelopeHeights heights, std::span<BlockFacts> facts);
}  // namespace beatscan
