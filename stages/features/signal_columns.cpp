#include <algorithm>
#include <cmath>

#include "kernels/features/beat_shapes.h"
#include "stages/features/beat_table.h"
#include "stages/features/column_groups.h"
#include "stages/templates/pacing.h"

namespace beatscan {
namespace {

// Returns the logarithm of the largest jump of an impulse over the noise floor in any lead; 0 of none.
std::vector<double> spikes_of(const std::vector<LeadImpulses>& leads, std::int64_t beats) {
  std::vector<double> found(beats);
  for (const LeadImpulses& lead : leads)
    for (std::size_t k = 0; k < lead.beats.size(); ++k) {
      double& most = found[lead.beats[k]];
      most = std::max(most, std::log1p(static_cast<double>(lead.impulses[k].over_rest)));
    }
  return found;
}

}  // namespace

void add_signal_columns(const TableBeats& beats, const LeadShapes& shapes, FeatureColumns& columns) {
  const auto of_rows = [&](std::span<const float> values) {
    std::vector<float> of_beats(columns.beats(), static_cast<float>(kNoValue));
    for (std::size_t b = 0; b < values.size(); ++b) of_beats[beats.kept[b]] = values[b];
    return of_beats;
  };
  const auto waveform = of_rows(beats.waveform), rhythm = of_rows(beats.rhythm), baseline = of_rows(beats.baseline),
             noise = of_rows(beats.noise);
  columns.add("waveform_score", "", "score of the shape, which allows for noise",
              [&](std::int64_t i) { return waveform[i]; });
  columns.add("rhythm_score", "", "score of the intervals", [&](std::int64_t i) { return rhythm[i]; });
  columns.add("baseline_score", "", "score of the shape without allowance for noise, and of the intervals",
              [&](std::int64_t i) { return baseline[i]; });
  columns.add("noise_factor", "", "shape score that noise gives a normal beat in the deciding lead, 1 in a clean lead",
              [&](std::int64_t i) { return noise[i]; });
  const double amplitude = std::log(std::max(*std::ranges::max_element(shapes.amplitude_mv), 1e-3));
  columns.add("qrs_height_mv", "", "log of the dominant QRS complex's height in mV, of the lead in which it is highest",
              [&](std::int64_t) { return amplitude; });
  const auto atrial = spikes_of(beats.impulses.early, columns.beats()),
             ventricular = spikes_of(beats.impulses.late, columns.beats());
  columns.add("pacing_spike_atrial", "",
              "log(1 + amplitude over the noise floor) of a pacing spike 330 to 140 ms before R; 0 without",
              [&](std::int64_t i) { return atrial[i]; });
  columns.add("pacing_spike_ventricular", "", "the same from 140 ms before to 15 ms after R",
              [&](std::int64_t i) { return ventricular[i]; });
}

}  // namespace beatscan
