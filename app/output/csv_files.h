// app/output/csv_files.h — the CSV and NPY files of a result: abnormal.csv, episodes.csv, templates.csv, arrays,
// features.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/io/recording/start_time.h"

namespace beatscan {

class OutputFolder;
struct BeatFeatures;
struct Episodes;
struct RhythmBeats;
struct RunResult;

// Returns one row an abnormal beat: first those in good signal, the most abnormal first, then those in poor signal in
// the same order. With method published, all signal counts as good. The text is in parts, which several threads
// generate.
//   only  letters of the classes that have rows; empty: all
std::vector<std::string> abnormal_csv_parts(const RunResult& result, std::string_view only = {});

// Returns one row an episode, by start. The times of day are empty where `start_time` is not known.
std::string episodes_csv(const RhythmBeats& beats, const Episodes& episodes,
                         const std::optional<StartTime>& start_time = {});

// The beat table as files: features.npy with its values [K][C], and features.json with the name, unit and meaning of
// each column.

// Returns the content of features.json.
std::string features_json(const BeatFeatures& table);

void write_features(OutputFolder& folder, const BeatFeatures& table);

// Writes the arrays of a result, if it has any.
void write_arrays(OutputFolder& folder, const RunResult& result);

// Returns one row a generated beat.
std::string generated_csv(const RunResult& result);

// Returns one row a segment of signal that is not good; none with method published, which does not assess the signal.
std::string quality_csv(const RunResult& result);

// Returns one row a template, in the order of their numbers; none with method published.
std::string templates_csv(const RunResult& result);

}  // namespace beatscan
