#include "stages/score/drift.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stages/common/robust.h"
#include "stages/model/vae_output.h"
#include "stages/score/score.h"

namespace beatscan {

namespace {

// Returns the latent number z of the rows at these places.
std::vector<double> latent_at(const RowScores& rows, int latents, int z, const std::vector<std::int64_t>& places) {
  std::vector<double> values;
  values.reserve(places.size());
  for (const std::int64_t row : places)
    if (const double value = rows.latents[row * latents + z]; std::isfinite(value)) values.push_back(value);
  return values;
}

int latents_in(const RowScores& rows) {
  return static_cast<int>(rows.latents.size() / std::max<std::size_t>(rows.kl.size(), 1));
}

std::vector<double> edges_of(std::vector<double> values) {
  std::ranges::sort(values);
  std::vector<double> edges;
  for (int i = 1; i < TrainingSpread::kBins; ++i)
    edges.push_back(quantile_of_sorted(values, static_cast<double>(i) / TrainingSpread::kBins));
  return edges;
}

// Returns a term of the divergence: p log2(p / m), which is 0 where p is.
double term(double p, double m) { return p > 0 ? p * std::log2(p / m) : 0; }

// Returns the divergence of values from a distribution that is even over the bins.
double divergence(const std::vector<double>& edges, const std::vector<double>& values) {
  if (values.empty()) return 1;
  std::vector<double> counts(edges.size() + 1);
  for (const double value : values) ++counts[std::ranges::upper_bound(edges, value) - edges.begin()];
  const double p = 1 / static_cast<double>(counts.size());
  double sum = 0;
  for (const double count : counts) {
    const double q = count / static_cast<double>(values.size()), m = (p + q) / 2;
    sum += (term(p, m) + term(q, m)) / 2;
  }
  return std::clamp(sum, 0.0, 1.0);
}

std::vector<std::uint8_t> flags_of(const std::vector<Split>& split, bool (*wanted)(Split)) {
  std::vector<std::uint8_t> flags(split.size());
  std::ranges::transform(split, flags.begin(), wanted);
  return flags;
}

}  // namespace

std::optional<TrainingSpread> training_spread(const RowScores& rows, const std::vector<Split>& split) {
  auto flags = flags_of(split, [](Split use) { return use == Split::test; });
  if (std::ranges::count(flags, 1) == 0) flags = flags_of(split, [](Split use) { return use == Split::train; });
  const auto places = sample_places(flags);
  if (std::ssize(places) < kLeastDriftRows) return std::nullopt;
  auto errors = values_at(rows.reconstruction_error, places);
  if (errors.empty()) return std::nullopt;
  TrainingSpread spread{.error = edges_of(std::move(errors)), .latents = {}};
  for (int z = 0; z < latents_in(rows); ++z) {
    auto values = latent_at(rows, latents_in(rows), z, places);
    if (values.empty()) return std::nullopt;
    spread.latents.push_back(edges_of(std::move(values)));
  }
  return spread;
}

std::optional<Drift> drift_from(const TrainingSpread& own, const RowScores& rows, const std::vector<Split>& split) {
  const auto places = sample_places(flags_of(split, [](Split use) { return use != Split::none; }));
  if (std::ssize(places) < kLeastDriftRows) return std::nullopt;
  Drift drift{.error = divergence(own.error, values_at(rows.reconstruction_error, places))};
  drift.value = drift.error;
  for (int z = 0; z < std::ssize(own.latents); ++z) {
    drift.latents.push_back(divergence(own.latents[z], latent_at(rows, latents_in(rows), z, places)));
    drift.value = std::max(drift.value, drift.latents.back());
  }
  return drift;
}

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
