// kernels/quality/local_medians.h — medians of facts of blocks over the ten minutes around them.
#pragma once

#include <cmath>
#include <span>

#include "kernels/quality/block_facts.h"

namespace beatscan::quality {

inline constexpr int kNearBlocks = 300, kGroupBlocks = 30;  // of a median, and those that share it
inline constexpr int kNearReach = 3;                        // blocks of short medians on either side

// Medians of a minute, in mV. They are 0 where no block has a value.
struct LocalMedians {
  float step, height, rise, steep;
};

inline std::int64_t median_groups(std::int64_t blocks) { return (blocks + kGroupBlocks - 1) / kGroupBlocks; }

// medians[m] is that of the blocks from 30 m - 135 on, 300 of them, moved into the lead; of all blocks of a shorter
// lead. The median of an even number is the mean of the middle two. NaN does not count, and neither do blocks of which
// half and more is missing or flat.
//   samples, bands  [K]
//   medians         [median_groups(K)]
void local_medians(Cpu&, std::span<const SampleFacts> samples, std::span<const BandFacts> bands,
                   std::span<LocalMedians> medians);
void local_medians(Cuda&, std::span<const SampleFacts> samples, std::span<const BandFacts> bands,
                   std::span<LocalMedians> medians);

BEATSCAN_HOST_DEVICE inline std::int64_t first_near(std::int64_t group, std::int64_t blocks) {
  const std::int64_t first = group * kGroupBlocks - (kNearBlocks - kGroupBlocks) / 2, last = blocks - kNearBlocks;
  const std::int64_t moved = first < last ? first : last;
  return moved > 0 ? moved : 0;
}

inline constexpr int kMedianFields = 4;

inline constexpr float kMostSilent = 0.5f;  // share of missing and flat samples; from there on a block does not count

// Returns the value of a block that a field of LocalMedians is the median of; NaN of a block that does not count.
BEATSCAN_HOST_DEVICE inline float field_of(const SampleFacts& samples, const BandFacts& bands, int field) {
  if (!(samples.missing + samples.flat < kMostSilent)) return NAN;
  return field == 0 ? samples.step : field == 1 ? bands.height : field == 2 ? bands.rise : samples.steep;
}

// Heights that a block is compared with, in mV.
struct Scales {
  float step, floor, usual;
};
BEATSCAN_HOST_DEVICE inline Scales scales_of(const LocalMedians& medians) {
  constexpr float kLeastStep = 1e-15f, kFloor = 0.1f;
  float step = medians.step > medians.height / 1000 ? medians.step : medians.height / 1000;
  if (step < kLeastStep) step = kLeastStep;
  return {step, kFloor * step, medians.height > 2 * step ? medians.height : 2 * step};
}

}  // namespace beatscan::quality
