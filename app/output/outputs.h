// app/output/outputs.h — writes the files of a result.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/output/run_result.h"
#include "app/output/tables/table.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

class OutputFolder;
struct Config;

// A result as a section of a MultiQC report (https://docs.seqera.io/multiqc/custom_content). `multiqc FOLDER` finds the
// files NAME_mqc.json below a folder and joins those with the same section id into one table.

// Returns the row of one recording. An unknown value has no cell.
Json multiqc_json(const RunResult& result);

// Sets the cells of a row that the `findings` of a summary give.
void set_multiqc_findings(const Json& findings, Json& row);

// Writes all files of a result into the folder (not yet committed), concurrently. Calls `page` with the table of beats
// once all files that a page is made from exist. Other threads still read `result` meanwhile, so `page` may change only
// `result.report`. If memory for a page runs out, the page is omitted; `page` itself reports that.
void write_result(OutputFolder& folder, const RunResult& result, const Config& config, const Json& evaluation,
                  TableForm form = TableForm::csv, const std::function<void(const Table& beats)>& page = {});

// The result for beats that were given without a signal.
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

// Writes episodes.csv, hrv.csv, summary.json, config.json and the annotation file; nn.csv if it is wanted.
void write_result(OutputFolder& folder, const RhythmResult& result, const Config& config);

// Returns the text summary, a few lines.
std::string summary_text(const RhythmResult& result, const std::filesystem::path& folder);

}  // namespace beatscan
