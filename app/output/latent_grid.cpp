#include "app/output/latent_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/output/run_result.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kPriorReach = 2;  // a grid covers the prior up to here, and the beats except 1 % on either side
constexpr double kBeyondGrid = 0.01;

// Returns evenly spaced values of a latent. They cover its prior and a sample of the training beats.
std::vector<double> grid_values_of(int latent, const ModelFacts& model, const RowScores& rows, std::int64_t latents) {
  std::vector<std::uint8_t> in_train(model.training.split.size());
  std::ranges::transform(model.training.split, in_train.begin(), [](Split use) { return use == Split::train; });
  std::vector<double> trained;
  for (const std::int64_t row : sample_places(in_train))
    if (const float value = rows.latents[row * latents + latent]; std::isfinite(value)) trained.push_back(value);
  const double low = trained.empty() ? 0 : quantile(trained, kBeyondGrid);
  const double high = trained.empty() ? 0 : quantile(trained, 1 - kBeyondGrid);
  const double from = std::min(low, -kPriorReach), to = std::max(high, kPriorReach);
  std::vector<double> values;
  for (int i = 0; i < kGridSide; ++i) values.push_back(from + (to - from) * i / (kGridSide - 1));
  return values;
}

}  // namespace

std::vector<float> lay_grid(const ModelFacts& model, const RowScores& rows, std::int64_t latents, ReportData& report) {
  const auto& variance = model.diagnosis.latent_variance;
  report.grid_latents.resize(latents);
  std::iota(report.grid_latents.begin(), report.grid_latents.end(), 0);
  std::ranges::stable_sort(report.grid_latents, [&](int a, int b) { return variance[a] > variance[b]; });
  report.grid_latents.resize(std::min<std::int64_t>(latents, 2));
  for (const int latent : report.grid_latents)
    report.grid_values.push_back(grid_values_of(latent, model, rows, latents));
  if (latents == 1) report.grid_values.push_back({0});
  std::vector<float> z;
  for (const double y : report.grid_values[1])
    for (const double x : report.grid_values[0]) {
      z.resize(z.size() + latents);
      if (latents > 1) z.end()[report.grid_latents[1] - latents] = static_cast<float>(y);
      z.end()[report.grid_latents[0] - latents] = static_cast<float>(x);
    }
  return z;
}

}  // namespace beatscan
