// stages/score/drift.h — how far the dominant beats of a recording are from those that a saved model was trained on.
//
// A trained model keeps the distributions of the dominant beats of its own recording: of their reconstruction errors,
// and of each of their latents. Those are the beats that were held out of training, because errors of beats that were
// trained on are smaller. Another recording is compared with them by the Jensen-Shannon divergence (Lin 1991, IEEE
// Trans. Inf. Theory 37:145), value by value:
//   bins     20, each with a twentieth of the model's own beats
//   p, q     shares of the model's own beats and of this recording's dominant beats in a bin; m = (p + q) / 2
//   JS       = sum over the bins of (p log2(p / m) + q log2(q / m)) / 2
// It is 0 if both distributions are equal, and 1 if they have no bin in common.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace beatscan {

struct RowScores;

enum class Split : std::uint8_t;

// The distribution of the dominant beats of a model: each list has the bins' inner edges, in rising order.
struct TrainingSpread {
  static constexpr int kBins = 20;
  std::vector<double> error;                 // [kBins - 1] edges of the reconstruction error
  std::vector<std::vector<double>> latents;  // [Z][kBins - 1]
};

// Returns the distribution over the test rows, or over the training rows if there are no test rows. Returns nothing if
// they are fewer than kLeastDriftRows.
std::optional<TrainingSpread> training_spread(const RowScores& rows, const std::vector<Split>& split);

// The divergences of a recording from a model's own dominant beats.
struct Drift {
  double value = 0;             // the largest of those below
  double error = 0;             // of the reconstruction error
  std::vector<double> latents;  // [Z] of each latent
};

// Returns nothing if the recording has fewer than kLeastDriftRows dominant rows (Split::train or test).
std::optional<Drift> drift_from(const TrainingSpread& own, const RowScores& rows, const std::vector<Split>& split);

// By chance, the divergence of 100 beats of the same distribution is about 0.035, and that of fewer is more.
inline constexpr std::int64_t kLeastDriftRows = 100;

}  // namespace beatscan
