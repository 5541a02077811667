// stages/quality/quality_index.h — the features of a lead's quality.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/quality/acceptability.h"
#include "kernels/quality/features.h"
#include "kernels/quality/fibrillation.h"

namespace beatscan {

template <class Context>
struct Recording;

// Computes the features of a lead, [K][quality::kFeatures]. Memory for beats is needed for one window at a time.
//   window_blocks  blocks of a window; 0: as many as suit the context. The results do not depend on it.
template <class Context>
void lead_features(Context&, const quality::LeadView& lead, std::span<float> features, std::int64_t window_blocks = 0);

// The signal-quality index: how good each lead is in each block of two seconds,
// and how acceptable the recording is as a whole. docs/quality.md has the method and its figures.
//
// L leads, K blocks.

// What scores of fibrillation mean, see stages/rhythm/fibrillation.h.
struct FibrillationModel {
  double scale = 1, offset = 0;       // of a score
  double begins = 0.01, ends = 0.05;  // probabilities from a block to the next
  double starts = 0.2;                // probability in the first block of a recording
};

// What was learned, as models/quality.json has it.
struct QualityModel {
  quality::ForestModel blocks, recordings;  // their features: quality::kFeatureNames and quality::kWindowFeatures
  quality::ForestModel fibrillation;        // quality::kFibrillationWidth features
  quality::Calibration calibration;
  FibrillationModel fibrillation_model;
};

// On the host.
struct QualityIndex {
  std::int64_t leads = 0, blocks = 0;                    // L, K; 0 where it was not computed
  double block_samples = 1;                              // length of a block
  std::vector<float> probabilities;                      // [L][K][quality::kClasses] good, noise, lost
  double acceptable = 0;                                 // 0 .. 1: the recording
  std::vector<quality::FibrillationScore> fibrillation;  // [L][K]
  FibrillationModel fibrillation_model;

  bool exists() const { return blocks > 0; }
  float at(std::int64_t lead, std::int64_t block, quality::Class of) const {
    return probabilities[(lead * blocks + block) * quality::kClasses + of];
  }
};

// Computes the index of all leads. Leads that were left out when the recording was read have a part in `acceptable`
// alone, as constant leads. Returns nothing (no block) for rates outside of quality::kLeastRateHz ..
// kMostRateHz, and without a sample. Both back ends, and any number of threads, give the same features and scores;
// probabilities differ by 1e-6 at most, which exponentials of the back ends differ by. One lead is worked on at a time,
// in windows, so that memory does not grow with the recording but for 0.4 kB a block of one lead, and 24 bytes of each.
template <class Context>
QualityIndex quality_index(Context&, const Recording<Context>& recording, const QualityModel& model,
                           double sample_rate_hz);

// Returns the mean probability of each class in a lead over its blocks: the share of time that it is good, noisy, lost.
std::array<double, quality::kClasses> quality_shares(const QualityIndex& index, std::int64_t lead);

}  // namespace beatscan
