#include "app/batch/comparison.h"

#include <cmath>
#include <optional>

#include "app/evaluation/compared_result.h"
#include "app/evaluation/found_waves.h"
#include "app/evaluation/truth.h"
#include "app/evaluation/wave_truth.h"
#include "app/output/files/wave_columns.h"
#include "app/output/run_result.h"
#include "stages/rhythm/episode.h"

namespace beatscan {
namespace {

std::vector<DetectedBeat> detected_beats(const RunResult& result) {
  std::vector<DetectedBeat> beats;
  beats.reserve(result.beats.found.r_peaks.size());
  for (const double r_peak : result.beats.found.r_peaks) beats.push_back({.sample = nearest_sample(r_peak)});
  for (std::size_t row = 0; row < result.beats.kept.size(); ++row) {
    auto& beat = beats[result.beats.kept[row]];
    beat.score = result.scored.scores.score[row];
    beat.anomalous = result.scored.scores.anomalous[row];
    if (result.scored.ranking) beat.baseline = result.scored.ranking->baseline.score[row];
  }
  if (result.findings)
    for (std::size_t i = 0; i < beats.size(); ++i) beats[i].beat_class = letter_of(result.findings->beat_classes[i]);
  return beats;
}

// Returns the episodes in whole samples, as in episodes.csv, which `evaluate` reads.
std::vector<LabelledStretch> stretches_of(const Episodes& episodes) {
  std::vector<LabelledStretch> stretches;
  for (const Episode& episode : episodes.list)
    stretches.push_back({std::round(episode.start), std::round(episode.end), std::string(name_of(episode.label))});
  return stretches;
}

// Returns the waves over all leads, as in beats.csv, which `evaluate` reads.
FoundWaves waves_over_leads(const RunResult& result) {
  FoundWaves found;
  for (const double r_peak : result.beats.found.r_peaks)
    found.beats_us.push_back(microseconds_at(nearest_sample(r_peak), *result.input.sample_rate_hz));
  static_assert(kWaveTimes.size() == kWaveFiducialNames.size());
  for (std::int64_t beat = 0; beat < result.waves->beats(); ++beat)
    for (std::size_t i = 0; i < kWaveTimes.size(); ++i)
      if (const auto time_s = wave_time_s(result, beat, result.waves->fiducials_of(beat)[kWaveTimes[i].second]))
        found.fiducials[i].push_back({std::llround(1e6 * *time_s), beat});
  add_non_conducted(result.report.non_conducted_p, *result.input.sample_rate_hz, found);
  return found;
}

void compare_waves_of(const RunResult& result, const std::filesystem::path& path, const SignalClock& clock,
                      Evaluation& evaluation) {
  const auto truth = read_wave_truth(path, clock, *result.input.sample_rate_hz);
  if (!truth) return;
  if (result.waves && result.waves->beats() > 0)
    evaluation.waves = compare_waves(*truth, waves_over_leads(result), evaluation.detection.tolerance_ms);
  else
    evaluation.warnings.push_back(no_waves_warning(path));
}

}  // namespace

Comparison comparison_of(const RunResult& result, const std::filesystem::path& path) {
  if (path.empty()) return {nullptr, {}};
  const InputFacts& input = result.input;
  const auto own_rate = input.signal.sample_rate_hz;
  const SignalClock clock{own_rate ? own_rate : input.sample_rate_hz, input.signal.samples_per_frame};
  const auto truth = read_truth(path, clock);
  std::vector<LabelledStretch> rhythms;
  if (!is_csv(path)) rhythms = read_rhythms(path, clock, static_cast<double>(input.samples));
  const auto detected = detected_beats(result);
  ComparedResult both{.truth = path,
                      .rhythm_file = path,
                      .reference = truth,
                      .rhythms = rhythms,
                      .detected = detected,
                      .sample_rate_hz = *input.sample_rate_hz,
                      .samples = input.samples};
  if (result.rhythm) both.episodes = stretches_of(result.rhythm->episodes);
  Evaluation evaluation = compared(both);
  compare_waves_of(result, path, clock, evaluation);
  return {to_json(evaluation), std::move(evaluation.warnings)};
}

}  // namespace beatscan
