// kernels/quality/acceptability.h — how acceptable a recording is, by windows of ten seconds over all leads.
//
// L leads, K blocks, V windows of five blocks; the last one has up to nine.
#pragma once

#include <array>
#include <span>

#include "kernels/quality/features.h"
#include "kernels/quality/forest.h"

namespace beatscan::quality {

inline constexpr int kWindowBlocks = 5;
inline std::int64_t window_count(std::int64_t blocks) {
  return blocks < 2 * kWindowBlocks ? 1 : blocks / kWindowBlocks;
}

// Names of the features of a window; scripts/quality/recording.py computes them.
inline constexpr int kWindowWidth = 22;
inline constexpr std::array<const char*, kWindowWidth> kWindowFeatures{
    "bad_1",      "bad_2",      "bad_4",    "bad_median", "bad_mean",       "bad_share",   "lost_1",       "lost_2",
    "lost_share", "noise_1",    "noise_2",  "noise_mean", "worst_block",    "height_most", "height_least", "baseline_1",
    "baseline_2", "baseline_4", "muscle_2", "high_2",     "template_low_2", "slope_1"};

// What a window needs of one lead.
struct LeadWindow {
  float bad, noise, lost;      // means of 1 - P(good), P(noise), P(lost)
  float height, muscle, high;  // medians
  float baseline, slope;       // largest
  float template_;             // mean
};

// Sums up the windows of one lead.
//   features       [K][kFeatures]
//   probabilities  [K][kClasses]
//   windows        [V]
void lead_windows(Cpu&, std::span<const float> features, std::span<const float> probabilities,
                  std::span<LeadWindow> windows);
void lead_windows(Cuda&, std::span<const float> features, std::span<const float> probabilities,
                  std::span<LeadWindow> windows);

// Returns by window the probability that it is acceptable.
//   probabilities  [L][K][kClasses]
//   windows        [L][V]
//   acceptable     [V]
void window_acceptability(Cpu&, const Forest<Cpu>& forest, std::span<const float> probabilities,
                          std::span<const LeadWindow> windows, std::int64_t leads, std::span<float> acceptable);
void window_acceptability(Cuda&, const Forest<Cuda>& forest, std::span<const float> probabilities,
                          std::span<const LeadWindow> windows, std::int64_t leads, std::span<float> acceptable);

}  // namespace beatscan::quality
