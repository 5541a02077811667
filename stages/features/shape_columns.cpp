#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/features/beat_shapes.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"
#include "stages/features/column_groups.h"

namespace beatscan {
namespace {

using namespace features;
using Measures = const float*;        // of a beat in a lead, [kShapeMeasures]
using Medians = std::vector<double>;  // of a lead over its dominant beats, [kShapeMeasures]
using Value = double (*)(Measures, const Medians&);

double unlike(double correlation) { return std::log(1.02 - correlation); }
double log_of(double value) { return std::log(value + 0.01); }

// A column that is the mean over leads, weighted by their noise.
struct ShapeColumn {
  const char *name, *unit, *text;
  bool has_largest;  // whether there is a column of the largest value over leads, NAME_max
  Value value;
};

const std::vector<ShapeColumn>& shape_columns() {
  static const std::vector<ShapeColumn> all{
      {"qrs_dissimilarity", "", "log(1.02 - correlation of the QRS complex with the dominant beat)", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsCorrelation]); }},
      {"qrs_dissimilarity_local", "", "the same with the local beat", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsLocalCorrelation]); }},
      {"qrs_dissimilarity_prev", "", "the same with the beat before; 0.02 is added to 1 - correlation", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsPrevCorrelation]); }},
      {"qrs_dissimilarity_next", "", "the same with the beat after", true,
       [](Measures x, const Medians&) -> double { return unlike(x[kQrsNextCorrelation]); }},
      {"qrs_distance", "", "log of the root mean square difference from the dominant beat over its height", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kQrsDistance]); }},
      {"qrs_distance_local", "", "the same from the local beat", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kQrsLocalDistance]); }},
      {"qrs_height", "", "log of the height over that of the dominant beat", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kQrsHeight] + 0.02); }},
      {"qrs_width_ratio", "", "log of the width over the median of dominant beats", true,
       [](Measures x, const Medians& of) -> double { return std::log(x[kQrsWidth] / std::max(of[kQrsWidth], 0.03)); }},
      {"qrs_width_s", "s", "time of the middle 90 % of the QRS complex's slope energy", true,
       [](Measures x, const Medians&) -> double { return x[kQrsWidth]; }},
      {"qrs_area_ratio", "", "log of area over height, over the median of dominant beats", true,
       [](Measures x, const Medians& of) -> double {
         return std::log((x[kQrsArea] + 0.005) / (of[kQrsArea] + 0.005));
       }},
      {"qrs_polarity", "",
       "share of the area above the isoelectric line, absolute difference from the median of dominant beats", true,
       [](Measures x, const Medians& of) -> double { return std::abs(x[kQrsPositive] - of[kQrsPositive]); }},
      {"qrs_high_frequency_ratio", "", "log of the power share above 18 Hz over the median of dominant beats", false,
       [](Measures x, const Medians& of) -> double {
         return std::log((x[kQrsHighShare] + 0.01) / (of[kQrsHighShare] + 0.01));
       }},
      {"t_correlation", "", "correlation of the T wave with the local beat", false,
       [](Measures x, const Medians&) -> double { return x[kTCorrelation]; }},
      {"t_distance", "", "log of the T wave's difference from the local beat", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kTDistance]); }},
      {"similar_share", "", "log of the share of the recording's beats with a similar QRS complex", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kAlikeShare] + 0.002); }},
      {"similar_rr_ratio", "", "log of the mean RR ratio of these beats", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kAlikeRatio]); }},
      {"similar_premature_share", "", "share of these beats that are premature", false,
       [](Measures x, const Medians&) -> double { return x[kAlikeEarlyShare]; }},
      {"noise_level", "", "log of the median second difference over the QRS height", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kNoiseLevel] + 0.003); }},
      {"noise_ratio", "", "the same over its median over dominant beats", false,
       [](Measures x, const Medians& of) -> double {
         return std::log((x[kNoiseLevel] + 0.003) / (of[kNoiseLevel] + 0.003));
       }},
      {"p_correlation", "", "correlation of the P window with the local beat", false,
       [](Measures x, const Medians&) -> double { return x[kPCorrelation]; }},
      {"p_projection", "", "projection of the P window on the local beat's P wave", false,
       [](Measures x, const Medians&) -> double { return x[kPProjection]; }},
      {"p_height_local", "", "log of the range of the local beat's P window over the QRS height", false,
       [](Measures x, const Medians&) -> double { return log_of(x[kPLocalHeight]); }},
      {"p_distance", "", "log of the P window's difference from the local beat", false,
       [](Measures x, const Medians&) -> double { return std::log(x[kPDistance] + 0.005); }},
      {"p_coherence", "", "energy of the mean of P windows of 4 beats on either side over their mean energy", false,
       [](Measures x, const Medians&) -> double { return x[kPCoherence]; }},
      {"p_peak_height", "", "height of the largest peak of 100 ms in the P window over the QRS height", false,
       [](Measures x, const Medians&) -> double { return std::clamp<double>(x[kLobe], -0.1, 0.6); }},
      {"p_peak_height_change", "", "its difference from the local beat's", false,
       [](Measures x, const Medians&) -> double { return std::clamp<double>(x[kLobe] - x[kLocalLobe], -0.4, 0.4); }},
      {"p_peak_s", "s", "time from the largest peak to the R peak", false,
       [](Measures x, const Medians&) -> double { return x[kLobePlace]; }},
      {"p_peak_shift_s", "s", "its difference from the local beat's", false,
       [](Measures x, const Medians&) -> double { return x[kLobePlace] - x[kLocalLobePlace]; }},
      {"p_trough_height", "", "the smallest peak of 100 ms in the P window over the QRS height, negative for a trough",
       false, [](Measures x, const Medians&) -> double { return std::clamp<double>(x[kLeastLobe], -0.6, 0.1); }},
      {"t_deviation", "", "log of the difference from the preceding T wave, where a premature P wave would lie", true,
       [](Measures x, const Medians&) -> double { return log_of(x[kTDeparture]); }},
  };
  return all;
}

// Returns the medians of a lead's measures over dominant beats; over all where these are fewer than 5.
Medians medians_of(const std::vector<float>& measures, const std::vector<std::uint8_t>& dominant) {
  const auto places = [&] {
    auto found = sample_places(dominant);
    if (found.size() < 5) found = sample_places(std::vector<std::uint8_t>(dominant.size(), 1));
    return found;
  }();
  Medians medians(kShapeMeasures);
  parallel_each(Cpu(), kShapeMeasures, [&](std::int64_t m) {
    std::vector<double> values;
    for (const std::int64_t i : places)
      if (const float value = measures[i * kShapeMeasures + m]; std::isfinite(value)) values.push_back(value);
    medians[m] = values.empty() ? 0 : quantile(values, 0.5);
  });
  return medians;
}

// Writes the weight of each lead at a beat, [L]: the less noise, the more, and 1 over all leads.
void write_weights(const LeadShapes& shapes, std::int64_t beat, std::span<double> weights) {
  double sum = 0;
  for (std::size_t l = 0; l < weights.size(); ++l) {
    const double noise = shapes.leads[l][beat * kShapeMeasures + kNoiseLevel] + 0.005;
    sum += weights[l] = 1 / (noise * std::sqrt(noise));
  }
  for (double& weight : weights) weight /= sum;
}

// Returns the columns without values.
std::vector<FeatureColumn> described_columns() {
  std::vector<FeatureColumn> described;
  for (const ShapeColumn& column : shape_columns()) {
    described.push_back({column.name, column.unit, column.text, {}});
    if (column.has_largest)
      described.push_back({std::string(column.name) + "_max", column.unit, "its largest value over leads", {}});
  }
  return described;
}

}  // namespace

void add_shape_columns(const LeadShapes& shapes, FeatureColumns& columns) {
  const std::size_t leads = shapes.leads.size();
  std::vector<Medians> medians;
  for (const auto& lead : shapes.leads) medians.push_back(medians_of(lead, shapes.dominant));
  columns.add_together(described_columns(), [&](std::int64_t beat, std::span<float> values) {
    thread_local std::vector<double> weights;
    weights.resize(leads);
    write_weights(shapes, beat, weights);
    std::size_t at = 0;
    for (const ShapeColumn& column : shape_columns()) {
      double sum = 0, largest = -std::numeric_limits<double>::infinity();
      for (std::size_t l = 0; l < leads; ++l) {
        const double value = column.value(shapes.leads[l].data() + beat * kShapeMeasures, medians[l]);
        sum += weights[l] * value;
        largest = l == 0 ? value : std::max(largest, value);
      }
      values[at++] = static_cast<float>(sum);
      if (column.has_largest) values[at++] = static_cast<float>(largest);
    }
  });
}

}  // namespace beatscan
