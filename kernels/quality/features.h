// kernels/quality/features.h — the features of the quality of a lead, a row for each block of two seconds.
// docs/quality.md defines them.
#pragma once

#include <array>
#include <span>

#include "kernels/quality/beats.h"

namespace beatscan::quality {

enum Feature : int {
  kMissing,
  kFlat,
  kRail,
  kFill,
  kSteps,
  kHeightMv,
  kRange,
  kRangeNear,
  kHigh,
  kMuscle,
  kHighMuscle,
  kBaseline,
  kSlope,
  kMains,
  kRest,
  kLeakage,
  kNeighbour,
  kTemplate,
  kHz,
  kFeatures
};
inline constexpr std::array<const char*, kFeatures> kFeatureNames{
    "missing",     "flat",     "rail",  "fill",  "steps", "height_mv", "range",     "range_near", "high", "muscle",
    "high_muscle", "baseline", "slope", "mains", "rest",  "leakage",   "neighbour", "template",   "hz"};

// Facts of all K blocks of a lead.
struct LeadFacts {
  std::span<const SampleFacts> samples;  // [K]
  std::span<const BandFacts> bands;      // [K]
  std::span<const LocalMedians> medians;
  std::span<const float> levels;           // [K]
  std::span<const Leakage> leakage;        // [K]
  std::span<const Similarity> similarity;  // [K]
};

//   features  [K][kFeatures]
void block_features(Cpu&, const LeadFacts& facts, std::span<float> features);
void block_features(Cuda&, const LeadFacts& facts, std::span<float> features);

}  // namespace beatscan::quality
