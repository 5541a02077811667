#include <algorithm>

#include "stages/score/score.h"

namespace beatscan {
namespace {

constexpr double kCollapsedExplained = 0.01;

}  // namespace

ModelDiagnosis diagnose(const RowScores& rows, const VaeTraining& training, int latents) {
  const Split wanted = std::ranges::count(training.split, Split::test) > 0 ? Split::test : Split::train;
  ModelDiagnosis diagnosis{.latent_variance = std::vector<double>(latents),
                           .mean_beat_error = training.mean_beat_error};
  std::vector<double> sum(latents), sum_of_squares(latents);
  double beats = 0;
  for (std::size_t i = 0; i < training.split.size(); ++i) {
    if (training.split[i] != wanted) continue;
    ++beats;
    diagnosis.test_error += rows.reconstruction_error[i];
    for (int z = 0; z < latents; ++z) {
      const double mu = rows.latents[i * latents + z];
      sum[z] += mu;
      sum_of_squares[z] += mu * mu;
    }
  }
  diagnosis.test_error /= beats;
  for (int z = 0; z < latents; ++z) {
    diagnosis.latent_variance[z] = std::max(sum_of_squares[z] / beats - sum[z] / beats * (sum[z] / beats), 0.0);
    diagnosis.active_latents += diagnosis.latent_variance[z] > kActiveVariance;
  }
  diagnosis.explained = diagnosis.mean_beat_error > 0 ? 1 - diagnosis.test_error / diagnosis.mean_beat_error : 0;
  diagnosis.collapsed = diagnosis.active_latents == 0 || diagnosis.explained < kCollapsedExplained;
  return diagnosis;
}

}  // namespace beatscan
