// app/output/findings_json.h — findings on beats, rhythm and waves, as JSON and as columns.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/common/json.h"

namespace beatscan {

struct RhythmBeats;
struct RhythmFindings;
struct RunResult;

// The classification of a recording as columns of tables with a row a recording: cohort.csv, the page of a batch, and
// MultiQC's table. All of them are generated from these two lists.

// The unit of a column; a time is in seconds from the start.
enum class FindingUnit { count, share, seconds, time, milliseconds, percent, ms2, ratio, per_hour, bpm };

struct FindingColumn {
  std::string name;         // in cohort.csv
  std::string multiqc_key;  // in MultiQC's table, where a share is in percent
  std::string title, what;  // the displayed heading, and the meaning
  FindingUnit unit = FindingUnit::count;
  std::string place;          // JSON pointer into the `findings` of summary.json, or into its `waves`
  bool telling = false;       // pages show it; the other columns are in cohort.csv, and hidden in MultiQC
  bool behind_waves = false;  // in cohort.csv it comes after those of intervals
};

// Returns the columns: beats of each class, number and seconds of the episodes of each label, atrial fibrillation,
// pauses, heart rate variability and burdens. New ones are only added at the end, `behind_waves`.
const std::vector<FindingColumn>& finding_columns();

// Returns the values of the columns from the `findings` of a summary, [columns]; nullopt for an unknown value. Episodes
// of a label that does not occur are 0; those of AFIB only if atrial fibrillation could be determined.
std::vector<std::optional<double>> finding_values(const Json& findings);

// Returns the columns of intervals: median PR, QRS and QTc, the longest QTc and its time. None is added.
const std::vector<FindingColumn>& wave_columns();

// Returns their values from the `waves` of a summary, [columns].
std::vector<std::optional<double>> wave_values(const Json& waves);

// Returns the classification of the recording. Undetermined values are null.
Json findings_json(const RhythmBeats& beats, const RhythmFindings& findings);

// Returns the same for each hour, as a list.
Json hours_json(const RhythmFindings& findings);

// Returns intervals, ST levels and non-conducted P waves, in total and for each hour; null if there are no waves.
// Unknown values are null.
Json waves_json(const RunResult& result);

}  // namespace beatscan
