// app/result/files/finding_columns.h — the findings of a recording as columns of tables with a row a recording:
// cohort.csv, the page of a batch, and MultiQC's table. All of them are made from these two lists.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/text/json.h"

namespace beatscan {

enum class FindingUnit { count, share, seconds, time, milliseconds, percent, ms2, ratio };  // time: from the start, s

struct FindingColumn {
  std::string name;         // in cohort.csv
  std::string multiqc_key;  // in MultiQC's table, where a share is in percent
  std::string title, what;  // the heading for people, and what it means
  FindingUnit unit = FindingUnit::count;
  std::string place;     // JSON pointer into the `findings` of summary.json, or into its `waves`
  bool telling = false;  // pages show it; the other columns are in cohort.csv, and hidden in MultiQC
};

// Returns the columns: beats of each kind, number and seconds of the episodes of each label, atrial fibrillation,
// pauses and heart rate variability. New ones are only added at the end.
const std::vector<FindingColumn>& finding_columns();

// Returns the values of the columns by the `findings` of a summary, [columns]; nothing where a value is not known. The
// episodes of a label that does not occur are 0, but not those of AFIB where atrial fibrillation cannot be told.
std::vector<std::optional<double>> finding_values(const Json& findings);

// Returns the columns of intervals: median PR, QRS and QTc, the longest QTc and when it was. In cohort.csv they stand
// behind all others. New ones are only added at the end.
const std::vector<FindingColumn>& wave_columns();

// Returns their values by the `waves` of a summary, [columns].
std::vector<std::optional<double>> wave_values(const Json& waves);

}  // namespace beatscan
