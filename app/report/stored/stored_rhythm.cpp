#include "app/report/stored/stored_rhythm.h"

#include <algorithm>
#include <string>

#include "app/output/rhythm_state.h"
#include "app/report/stored/damaged_file.h"
#include "app/report/stored/npy_file.h"
#include "app/report/stored/stored_result.h"
#include "stages/classify/beat_findings.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

template <class T>
NpyFile<T> read_table(const fs::path& path, std::int64_t columns) {
  auto file = read_npy_file<T>(path, 2);
  if (file.shape[1] != columns) fail_damaged(path, "does not have " + std::to_string(columns) + " columns");
  return file;
}

// Returns a whole number from 0 to `most` that an array holds.
int number_in(double value, std::int64_t most, const fs::path& path) {
  if (!(value >= 0 && value <= static_cast<double>(most)) || value != static_cast<int>(value))
    fail_damaged(path, "has a number out of range");
  return static_cast<int>(value);
}

void read_beat_state(const fs::path& path, StoredRhythm& rhythm) {
  const auto state = read_table<float>(path, kStateColumns);
  const std::int64_t beats = rhythm.beats();
  if (state.shape[0] != beats) fail_damaged(path, "does not fit beats.csv");
  for (std::int64_t i = 0; i < beats; ++i) {
    const auto own = state.row(i);
    rhythm.posteriors.insert(rhythm.posteriors.end(), own.begin(), own.begin() + kPosteriorClasses);
    rhythm.paced.push_back(own[kStatePaced] != 0);
    if (i + 1 == beats) continue;
    rhythm.broken.push_back(own[kStateBroken] != 0);
    rhythm.evidence.silent.push_back(own[kStateSilent] != 0);
    rhythm.evidence.certain.push_back(own[kStateCertain]);
  }
}

void read_segments(const fs::path& path, Rhythms& rhythms) {
  const auto table = read_table<double>(path, kSegmentColumns);
  for (std::int64_t i = 0; i < table.shape[0]; ++i) {
    const auto row = table.row(i);
    rhythms.segments.push_back({row[0], row[1], number_in(row[2], std::ssize(rhythms.states) - 1, path), row[3]});
  }
}

void read_evidence(const fs::path& path, SignalEvidence& evidence) {
  const auto table = read_table<double>(path, kEvidenceColumns);
  for (std::int64_t i = 0; i < table.shape[0]; ++i) {
    const auto row = table.row(i);
    evidence.episodes.push_back(
        {.start = row[0],
         .end = row[1],
         .label = static_cast<EpisodeLabel>(number_in(row[2], static_cast<int>(EpisodeLabel::gap), path)),
         .beats = static_cast<std::int64_t>(row[3]),
         .confidence = row[4],
         .quality = static_cast<Quality>(number_in(row[5], static_cast<int>(Quality::missing), path))});
  }
}

}  // namespace

StoredRhythm read_stored_rhythm(const StoredResult& result) {
  const fs::path folder = result.folder / "report";
  const Json rhythm = result.summary.value("rhythm", Json());
  std::error_code ignored;
  if (!result.rate_hz || !rhythm.is_object())
    fail(ErrorKind::input, result.folder.string(), "has no rhythm, so that no episode follows from its beats");
  if (!rhythm.contains("states") || !fs::exists(folder / "r_peaks.npy", ignored))
    fail(ErrorKind::input, result.folder.string(), "is of an earlier version, or revised already; analyse it again");
  StoredRhythm stored{.sample_rate_hz = *result.rate_hz, .samples = static_cast<double>(result.samples)};
  stored.r_peaks = read_npy_file<double>(folder / "r_peaks.npy", 1).values;
  if (stored.beats() != result.beats.size()) fail_damaged(folder / "r_peaks.npy", "does not fit beats.csv");
  for (const char letter : result.beats.beat_class)
    stored.beat_classes.push_back(
        static_cast<BeatClass>(std::min(kClassLetters.find(letter), kClassLetters.size() - 1)));
  stored.quality = result.beats.quality;
  read_beat_state(folder / "beat_state.npy", stored);
  stored.rhythms.states = rhythm.at("states").get<std::vector<std::string>>();
  stored.rhythms.decides = rhythm.at("decides").get<std::vector<std::uint8_t>>();
  if (stored.rhythms.decides.size() != stored.rhythms.states.size())
    fail_damaged(result.folder / "summary.json", "rhythm.decides does not fit rhythm.states");
  if (const Json ends = rhythm.value("silent_ends", Json()); ends.is_array() && ends.size() == 2) {
    stored.evidence.certain_start = ends[0].get<float>();
    stored.evidence.certain_end = ends[1].get<float>();
  }
  read_segments(folder / "rhythm_segments.npy", stored.rhythms);
  read_evidence(folder / "evidence.npy", stored.evidence);
  return stored;
}

}  // namespace beatscan
