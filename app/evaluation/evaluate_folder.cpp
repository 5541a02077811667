#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "app/common/small_csv.h"
#include "app/evaluation/evaluate.h"
#include "app/evaluation/result_clock.h"
#include "app/evaluation/wave_quality.h"
#include "app/output/tables/table_csv.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"

namespace beatscan {
namespace {

std::optional<double> score_in(const std::filesystem::path& path, std::int64_t line, std::string_view cell) {
  const auto score = parse_double(cell);
  if (!score && !cell.empty())
    fail_at_line(path, line, quoted(cell) + " is not a finite score; give the file as run wrote it");
  return score;
}

std::optional<char> kind_in(const std::filesystem::path& path, std::int64_t line, std::string_view cell) {
  if (cell.empty()) return std::nullopt;
  if (cell.size() != 1 || kClassLetters.find(cell[0]) == kClassLetters.npos)
    fail_at_line(path, line, quoted(cell) + " is not a beat class (N, S, V, F, Q); give the file as run wrote it");
  return cell[0];
}

// Reads the episodes of a result.
std::vector<LabelledStretch> read_episodes(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 3> kColumns = {"start_sample", "end_sample", "label"};
  std::vector<LabelledStretch> episodes;
  for_each_row(path, kColumns, [&](std::span<const std::string_view> cells, std::int64_t line) {
    const auto start = parse_double(cells[0]), end = parse_double(cells[1]);
    if (!start || !end)
      fail_at_line(path, line, quoted(start ? cells[1] : cells[0]) + " is not a sample; give the file as run wrote it");
    episodes.push_back({*start, *end, std::string(cells[2])});
  });
  std::ranges::stable_sort(episodes, {}, &LabelledStretch::start);
  return episodes;
}

// Reads the beats of a result. Refuses a file whose number of beats differs from summary.json: figures from a truncated
// file would look valid.
std::vector<DetectedBeat> read_beats(const std::filesystem::path& folder, std::optional<std::int64_t> expected) {
  const auto path = beats_file(folder);
  constexpr std::array<std::string_view, 2> kColumns = {"sample", "score"};
  constexpr std::array<std::string_view, 3> kOptionalColumns = {"baseline_score", "anomalous", "beat_class"};
  std::vector<DetectedBeat> beats;
  const auto add = [&](std::span<const std::string_view> cells, std::int64_t line) {
    const auto sample = parse_int64(cells[0]);
    if (!sample) fail_at_line(path, line, quoted(cells[0]) + " is not a sample number; give the file as run wrote it");
    beats.push_back({*sample, score_in(path, line, cells[1]), score_in(path, line, cells[2]), cells[3] == "1",
                     kind_in(path, line, cells[4])});
  };
  for_each_row_of(beats_text(folder), path, kColumns, add, kOptionalColumns);
  if (expected && std::ssize(beats) != *expected)
    fail(ErrorKind::input, path.string(),
         "has " + counted(std::ssize(beats), "beat") + ", and summary.json has " + std::to_string(*expected) +
             ": it was cut off or changed; run the analysis again");
  std::ranges::stable_sort(beats, {}, &DetectedBeat::sample);
  return beats;
}

// Returns whether a folder is a result of `rhythm`.
bool has_episodes_alone(const std::filesystem::path& folder) {
  std::error_code unknown;
  return !has_beats(folder) && std::filesystem::exists(folder / "episodes.csv", unknown);
}

// Reads the rhythms that a result without beats is compared with. A list of beats as --truth has none.
std::vector<LabelledStretch> rhythms_of(const EvaluateRequest& request, const ResultClock& clocks) {
  if (!request.rhythms.empty()) return read_rhythms(request.rhythms, clocks.of_recording, clocks.samples);
  try {
    return read_rhythms(request.truth, clocks.of_recording, clocks.samples);
  } catch (const Error& error) {
    if (!is_csv(request.truth)) throw;
    throw Error(error.kind(),
                "a result of `beatscan rhythm` has episodes alone, and is compared with rhythms; give "
                "them with --rhythms FILE: " +
                    std::string(error.what()));
  }
}

// Compares the episodes of a result that has no beats.
Evaluation evaluate_rhythm(const EvaluateRequest& request, const ResultClock& clocks) {
  const auto& file = request.rhythms.empty() ? request.truth : request.rhythms;
  const auto rhythms = rhythms_of(request, clocks);
  Evaluation evaluation{.only_episodes = true};
  evaluation.episodes = compare_episodes(rhythms, read_episodes(request.folder / "episodes.csv"), clocks.rate_hz);
  evaluation.warnings = warnings_of(rhythms, file);
  if (rhythms.empty()) evaluation.warnings.push_back(file.string() + " has no rhythms");
  return evaluation;
}

// Compares the waves of a result with those of the truth.
void add_waves(const EvaluateRequest& request, const WaveTruth& truth, double rate_hz, Evaluation& evaluation) {
  const auto found = request.lead.empty() ? read_found_waves(request.folder, rate_hz)
                                          : read_waves_of_lead(request.folder, request.lead, rate_hz);
  if (found)
    evaluation.waves = compare_waves(truth, *found, request.tolerance_ms);
  else
    evaluation.warnings.push_back(no_waves_warning(request.truth));
}

}  // namespace

Evaluation evaluate_folder(const EvaluateRequest& request) {
  const auto& [folder, truth, rhythm_file, tolerance_ms, given_rate, lead] = request;
  check_tolerance(tolerance_ms);
  const auto [rate, clock, samples, beats] = clock_of_result(folder, given_rate);
  if (has_episodes_alone(folder)) return evaluate_rhythm(request, {rate, clock, samples});
  const auto reference = read_truth(truth, clock);
  std::vector<LabelledStretch> rhythms;
  if (!rhythm_file.empty() || !is_csv(truth))
    rhythms = read_rhythms(rhythm_file.empty() ? truth : rhythm_file, clock, samples);
  const auto detected = read_beats(folder, beats);
  ComparedResult result{.truth = truth,
                        .rhythm_file = rhythm_file.empty() ? truth : rhythm_file,
                        .reference = reference,
                        .rhythms = rhythms,
                        .detected = detected,
                        .sample_rate_hz = rate,
                        .tolerance_ms = tolerance_ms};
  if (samples && *samples >= 0 && *samples < 0x1p53) result.samples = static_cast<std::int64_t>(*samples);
  const auto episodes = folder / "episodes.csv";
  std::error_code unknown;
  if (!rhythms.empty() && std::filesystem::exists(episodes, unknown)) result.episodes = read_episodes(episodes);
  Evaluation evaluation = compared(result);
  if (const auto waves = read_wave_truth(truth, clock, rate))
    add_waves(request, *waves, rate, evaluation);
  else if (!lead.empty())
    fail(ErrorKind::usage, truth.string(),
         "has no annotations of waves, so there is none of a lead to compare; leave out --lead");
  return evaluation;
}

}  // namespace beatscan
