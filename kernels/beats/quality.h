// kernels/beats/quality.h — facts about each block of a signal that tell whether beats can be seen in it.
//
//   N samples in L blocks, cut as the local levels of detect.h are
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// What a block turns out to be (stages/beats/quality.h).
enum class Quality : std::uint8_t {
  good,
  flat,     // hardly moves: an electrode is off
  clipped,  // stays at the amplifier's end, the outermost value that the signal stays at
  noisy,    // never at rest between beats: noise, movement; ventricular flutter looks the same
  missing,  // most samples have no value
};

struct BlockFacts {
  float min, max;               // of the signal
  std::int32_t at_min, at_max;  // samples that are the block's min (max), as is the one behind them: a plateau
  std::int32_t loud, samples;   // samples whose envelope is above `loud` levels, of so many
};

//   signal    [N]
//   envelope  [N] of the QRS band, see detect.h
//   levels    [L]
//   facts     [L] with L = level_blocks(N, block)
void block_facts(Cpu&, std::span<const float> signal, std::span<const float> envelope, std::span<const float> levels,
                 int block, float loud, std::span<BlockFacts> facts);
void block_facts(Cuda&, std::span<const float> signal, std::span<const float> envelope, std::span<const float> levels,
                 int block, float loud, std::span<BlockFacts> facts);

}  // namespace beatscan
