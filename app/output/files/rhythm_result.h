// app/output/files/rhythm_result.h — the result for beats that were given without a signal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/output/advisory.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

class OutputFolder;
struct Config;

struct RhythmResult {
  std::filesystem::path path;  // of the beats
  std::int64_t bytes = 0;
  std::string sha256;
  std::vector<std::int64_t> samples;  // [K] of the beats
  std::vector<char> symbols;          // [K] N, S, V, F or Q
  std::int64_t length = 0;            // samples: up to the last beat, or to the end of fibrillation after it
  RhythmBeats beats;                  // [K]
  RhythmFindings findings;
  std::string model_sha256;           // of the rhythm model
  std::vector<std::string> warnings;  // about the list of beats
  std::string command;                // the command line, quoted for a shell
};

// Returns the advisories.
std::vector<Advisory> advisories_of(const RhythmResult& result);

// Writes episodes.csv, summary.json, config.json and the annotation file.
void write_result(OutputFolder& folder, const RhythmResult& result, const Config& config);

// Returns the text summary, a few lines.
std::string summary_text(const RhythmResult& result, const std::filesystem::path& folder);

}  // namespace beatscan
