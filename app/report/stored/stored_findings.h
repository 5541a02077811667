// app/report/stored/stored_findings.h — the templates and the episodes of a stored result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "stages/classify/beat_findings.h"

namespace beatscan {

// A row of templates.csv. NaN and -1 stand for a value that does not exist.
struct StoredTemplate {
  char beat_class = 'N';  // N, S, V, F or Q
  std::int64_t beats = 0;
  double share = 0;  // of the beats that were kept
  double rate_bpm = std::numeric_limits<double>::quiet_NaN();
  double first_s = 0, last_s = 0;                              // its first and its last beat
  std::int64_t typical = -1, most_atypical = -1;               // rows of beats.csv
  double spread = std::numeric_limits<double>::quiet_NaN();    // how much its beats differ, over its mean beat
  double width_ms = std::numeric_limits<double>::quiet_NaN();  // of the mean beat's QRS complex, by its slopes
  Chamber paced = Chamber::none;
};

// A row of episodes.csv. NaN stands for a value that does not exist.
struct StoredEpisode {
  double from = 0, to = 0;  // seconds
  std::string label;        // one of those that label_words knows, or of a later version
  std::int64_t beats = 0;
  double rate_bpm = std::numeric_limits<double>::quiet_NaN(), confidence = rate_bpm;
  std::string quality;
};

// Reads templates.csv of a recording with `beats` beats; empty where there is no such file. Throws ErrorKind::input for
// a damaged line.
std::vector<StoredTemplate> read_templates(const std::filesystem::path& path, std::int64_t beats);

// Reads episodes.csv of a recording of `length_s` seconds; nothing where there is no such file. Throws ErrorKind::input
// for a damaged line, and for an episode beyond the recording's ends.
std::optional<std::vector<StoredEpisode>> read_episodes(const std::filesystem::path& path, double length_s);

}  // namespace beatscan
