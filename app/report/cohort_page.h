// app/report/cohort_page.h — the lists of a batch: DIR/index.html, the same rows as DIR/cohort.csv, and those that
// failed as DIR/failures.csv.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/result/run_result.h"
#include "app/tables/table.h"

namespace beatscan {

// The state of a recording.
//   interrupted  the process that worked on it was stopped or killed; --resume makes it
//   missing      a list names it, and there is nothing of it
enum class RecordingState { complete, failed, running, interrupted, missing };
const char* name_of(RecordingState state);

// One recording. One that is not complete has only names, and the failure if it has failed.
struct CohortRow {
  std::string input, name;  // the input as it was given, and the name of its folder in DIR
  std::string failure;      // why there is no result, in one line; empty: there is one
  std::optional<double> duration_s, beats_a_minute, analysable_share;
  std::int64_t beats = 0, anomalous = 0;
  double anomalous_share = 0;
  struct BySignal {
    std::int64_t good = 0, poor = 0;  // abnormal beats in good and in poor signal
    double good_share = 0;            // of the beats in good signal
  } by_signal;
  std::vector<std::optional<double>> findings;  // [finding_columns()]; empty where the rhythm was not judged
  std::optional<double> drift;                  // from what a saved model was trained on; nothing where none was used
  std::vector<std::string> warnings;
  bool page = true;  // there is a report.html
  RecordingState state = RecordingState::complete;
  int failure_status = 0;   // the exit status that the failure alone would have had
  std::string folder = "";  // of the result, seen from the table; empty: it is the name
};
CohortRow cohort_row(const RunResult& result);
CohortRow failed_row(std::string input, std::string name, int status, std::string why);

// Returns the value of a column of findings; nothing for a recording without any.
std::optional<double> finding_of(const CohortRow& row, std::size_t column);

// Returns the warnings in one line, parted by "; ".
std::string joined_warnings(const CohortRow& row);

inline constexpr const char* kCohortPage = "index.html";
inline constexpr const char* kCohortTable = "cohort.csv";
inline constexpr const char* kCohortParquet = "cohort.parquet";
inline constexpr const char* kFailureTable = "failures.csv";

// The most recordings that the page shows. If there are more, it shows those that are not complete, and then those with
// the largest share of abnormal beats.
inline constexpr std::size_t kMostPageRows = 10'000;

// Returns the page. It is self-contained, and readable without JavaScript, which only sorts. Rows link to
// `NAME/report.html`, or to the folder where there is no such page.
std::string cohort_page(const std::vector<CohortRow>& rows);

// Returns the table as in RFC 4180, with empty cells where a value does not exist. Columns:
//   recording,folder,failure,duration_s,beats,beats_a_minute,anomalous,anomalous_share,analysable_share,warnings,
//   anomalous_in_good_signal,share_in_good_signal
// then those of finding_columns(), `drift`, and `state`. The two in good signal leave out what may be noise. Warnings
// are parted by "; ". A text that a spreadsheet would take for a formula begins with an apostrophe.
std::string cohort_csv(const std::vector<CohortRow>& rows);

// Returns the rows that failed: input,name,status,message. Without failures it is the header alone.
std::string failures_csv(const std::vector<CohortRow>& rows);

}  // namespace beatscan
