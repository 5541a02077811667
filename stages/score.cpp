#include "stages/score.h"

#include <algorithm>
#include <cmath>

#include "kernels/check.h"

namespace beatscan {
namespace {

constexpr double kActiveVariance = 0.01;
constexpr double kCollapsedExplained = 0.01;

// The q-quantile by linear interpolation between order statistics. Reorders its argument.
double quantile(std::vector<double>& values, double q) {
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[below];
  if (below + 1 == std::ssize(values)) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (position - static_cast<double>(below)) * (high - low);
}

std::vector<double> of_training(const std::vector<double>& values, const std::vector<std::uint8_t>& in_train) {
  std::vector<double> chosen;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (in_train[i]) chosen.push_back(values[i]);
  return chosen;
}

}  // namespace

BeatScores score_beats(const RowScores& rows, const std::vector<std::uint8_t>& in_train, double kl_weight,
                       const ScoreOptions& options) {
  const std::size_t count = rows.reconstruction_error.size();
  BEATSCAN_EXPECTS(count > 0 && rows.kl.size() == count && in_train.size() == count, "score_beats: bad shape");
  std::vector<double> log_loss(count);
  for (std::size_t i = 0; i < count; ++i)
    log_loss[i] = std::log(std::max(rows.reconstruction_error[i] + kl_weight * rows.kl[i], 1e-30));

  auto training = of_training(log_loss, in_train);
  BEATSCAN_EXPECTS(!training.empty(), "score_beats: no training beats");
  const double median = quantile(training, 0.5);
  for (double& value : training) value = std::abs(value - median);
  const double scale =
      std::max(1.4826 * quantile(training, 0.5), 1e-6);  // all alike: a tiny scale, never a division by 0

  std::vector<double> score(count);
  std::ranges::transform(log_loss, score.begin(), [&](double value) { return (value - median) / scale; });
  BeatScores result{.threshold = options.threshold_deviations};
  if (options.threshold_fraction) {
    auto training_scores = of_training(score, in_train);
    result.threshold = quantile(training_scores, 1 - *options.threshold_fraction);
  }
  result.threshold = static_cast<float>(result.threshold);  // so that the decision can be repeated from the files
  for (const double value : score) {
    result.score.push_back(static_cast<float>(value));
    result.anomalous.push_back(result.score.back() > result.threshold);
    result.anomalous_count += result.anomalous.back();
  }
  return result;
}

ModelDiagnosis diagnose(const RowScores& rows, const VaeTraining& training, int latents) {
  const bool any_test = std::ranges::count(training.in_train, 0) > 0;
  ModelDiagnosis diagnosis{.latent_variance = std::vector<double>(latents),
                           .mean_beat_error = training.mean_beat_error};
  std::vector<double> sum(latents), sum_of_squares(latents);
  double beats = 0;
  for (std::size_t i = 0; i < training.in_train.size(); ++i) {
    if (any_test && training.in_train[i]) continue;
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
