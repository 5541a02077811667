// kernels/signal/gaps.h — samples that are not there, and bridges over them.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// Which samples are missing (NaN).
//   x      [N]
//   words  [words_for(N)], see bits.h
void mark_missing(Cpu&, std::span<const float> x, std::span<std::uint32_t> words);
void mark_missing(Cuda&, std::span<const float> x, std::span<std::uint32_t> words);

// Puts a straight line from the last sample before each gap to the first after it; a gap at an end of the recording
// takes its one neighbour's value. So no step is added for a filter to answer to, and no NaN poisons a transform.
//   x               [N] not missing altogether
//   firsts, lasts   [G] first and last sample of each gap, ascending
void bridge_gaps(Cpu&, std::span<float> x, std::span<const std::int64_t> firsts, std::span<const std::int64_t> lasts);
void bridge_gaps(Cuda&, std::span<float> x, std::span<const std::int64_t> firsts, std::span<const std::int64_t> lasts);

struct ValueRange {
  float min, max;
};

// The smallest and the largest of x [N >= 1], finite. Waits for the answer.
ValueRange value_range(Cpu&, std::span<const float> x);
ValueRange value_range(Cuda&, std::span<const float> x);

}  // namespace beatscan
