// kernels/lists/bits.h — running sums on the GPU, in one place because CUB's scan takes long to compile.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// Replaces each count by the sum of the counts before it. If the last count is 0, it becomes the sum of all.
void exclusive_sum(Cuda&, std::span<std::uint32_t> counts);

// Sets of positions as bits, and their ordered lists.
//   words  [ceil(N / 32)]  position i is bit i % 32 of word i / 32; bits past N are 0

inline std::int64_t words_for(std::int64_t n) { return (n + 31) / 32; }

// The positions of a set that are wanted: every one, or the first or the last of each run of neighbours.
enum class Pick { every, run_firsts, run_lasts };

// Returns the bits of words[i] that are wanted.
BEATSCAN_HOST_DEVICE inline std::uint32_t picked_bits(const std::uint32_t* words, std::int64_t size, std::int64_t i,
                                                      Pick pick) {
  const std::uint32_t word = words[i];
  if (pick == Pick::run_firsts) return word & ~(word << 1 | (i > 0 ? words[i - 1] >> 31 : 0u));
  if (pick == Pick::run_lasts) return word & ~(word >> 1 | (i + 1 < size ? words[i + 1] << 31 : 0u));
  return word;
}

// Returns the wanted positions in ascending order. Waits for their number.
Buffer<std::int64_t, Cpu> positions(Cpu&, std::span<const std::uint32_t> words, Pick pick);
Buffer<std::int64_t, Cuda> positions(Cuda&, std::span<const std::uint32_t> words, Pick pick);

// Returns the positions in ascending order at which a list of bytes has this value. Waits for their number.
Buffer<std::int64_t, Cpu> positions_of(Cpu&, std::span<const std::uint8_t> bytes, std::uint8_t value);
Buffer<std::int64_t, Cuda> positions_of(Cuda&, std::span<const std::uint8_t> bytes, std::uint8_t value);

}  // namespace beatscan
