#include "stages/rhythm_model/rhythms.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "stages/features/beat_table.h"
#include "stages/rhythm_model/measures.h"

namespace beatscan {
namespace {

constexpr float kMostDeviations = 4;

// Returns the standardised features beat by beat, [K][F].
std::vector<float> inputs_of(const BeatFeatures& table, std::span<const float> posteriors,
                             const RhythmRegression& regression) {
  const auto measures = rhythm_measures(table, posteriors);
  const std::size_t beats = table.beats(), width = regression.features.size();
  std::vector<float> inputs(beats * width);
  for (std::size_t f = 0; f < width; ++f) {
    const auto& [measure, statistic, reach] = regression.features[f];
    const auto found = measures.find(measure);
    if (found == measures.end())
      throw Error(ErrorKind::input, "the rhythm model reads the measure '" + measure + "', which is unknown");
    const auto values = window_statistic(found->second, statistic, reach);
    for (std::size_t i = 0; i < beats; ++i) {
      const float z = (static_cast<float>(values[i]) - regression.mean[f]) / regression.deviation[f];
      inputs[i * width + f] = std::isfinite(z) ? std::clamp(z, -kMostDeviations, kMostDeviations) : 0;
    }
  }
  return inputs;
}

bool has_waves(const BeatFeatures& table) {
  const FeatureColumn* found = table.column("p_evidence");
  return found && std::ranges::any_of(found->values, [](float value) { return std::isfinite(value); });
}

}  // namespace

std::vector<double> rhythm_log_p(const BeatFeatures& table, std::span<const float> posteriors,
                                 const RhythmRegression& regression) {
  const auto inputs = inputs_of(table, posteriors, regression);
  const std::size_t width = regression.features.size(), states = regression.intercept.size();
  std::vector<double> log_p(inputs.size() / width * states);
  for (std::size_t i = 0; i < inputs.size() / width; ++i) {
    const std::span of_beat(&log_p[i * states], states);
    for (std::size_t s = 0; s < states; ++s) {
      of_beat[s] = regression.intercept[s];
      for (std::size_t f = 0; f < width; ++f)
        of_beat[s] += static_cast<double>(regression.weight[s * width + f]) * inputs[i * width + f];
    }
    const double most = std::ranges::max(of_beat);
    double sum = 0;
    for (const double value : of_beat) sum += std::exp(value - most);
    for (double& value : of_beat) value -= most + std::log(sum);
  }
  return log_p;
}

DecodedRhythms rhythms_of(const BeatFeatures& table, std::span<const float> posteriors, const RhythmModel& model,
                          const RhythmSource& source) {
  if (table.beats() == 0) return {};
  const RhythmRegression& regression = has_waves(table) ? model.waves : model.intervals;
  return decode_rhythms(rhythm_log_p(table, posteriors, regression), regression.training_prior, source);
}

std::vector<RhythmSegment> rhythm_segments(const DecodedRhythms& decoded, std::span<const double> r_peaks_s,
                                           double duration_s, double confidence_temperature) {
  const std::size_t beats = decoded.path.size(), states = beats > 0 ? decoded.probability.size() / beats : 0;
  std::vector<RhythmSegment> segments;
  const auto edge = [&](std::size_t i) {
    return i == 0 ? 0 : i == beats ? duration_s : (r_peaks_s[i - 1] + r_peaks_s[i]) / 2;
  };
  for (std::size_t first = 0, last = 0; first < beats; first = last) {
    double sum = 0;
    for (; last < beats && decoded.path[last] == decoded.path[first]; ++last)
      sum += decoded.probability[last * states + decoded.path[first]];
    const double p = std::clamp(sum / static_cast<double>(last - first), 1e-4, 1 - 1e-4);
    const double odds = std::log(p / (1 - p)) / confidence_temperature;
    segments.push_back({edge(first), edge(last), decoded.path[first], 1 / (1 + std::exp(-odds))});
  }
  return segments;
}

}  // namespace beatscan
