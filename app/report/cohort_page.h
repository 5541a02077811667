// app/report/cohort_page.h — a batch at a glance: DIR/index.html, and the same rows as DIR/cohort.csv.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/result/run_result.h"

namespace beatscan {

// One recording. One that failed has only names and the failure.
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
  // Beats of these kinds, the share of the recording in atrial fibrillation, and the longest PAUSE; nothing where it is
  // not known.
  std::optional<std::int64_t> beats_v, beats_s;
  std::optional<double> af_share, longest_pause_s;
  std::vector<std::string> warnings;
};
CohortRow cohort_row(const RunResult& result);

// Fills in what the `findings` of a summary tell.
void add_findings(CohortRow& row, const Json& findings);

inline constexpr const char* kCohortPage = "index.html";
inline constexpr const char* kCohortTable = "cohort.csv";

// Returns the page. It is self-contained, and readable without JavaScript, which only sorts. Rows link to
// `NAME/report.html`, or to the folder where `page_of_each` is false.
std::string cohort_page(const std::vector<CohortRow>& rows, bool page_of_each);

// Returns the table as in RFC 4180, with empty cells where a value does not exist. Columns:
//   recording,folder,failure,duration_s,beats,beats_a_minute,anomalous,anomalous_share,analysable_share,warnings,
//   anomalous_in_good_signal,share_in_good_signal,beats_v,beats_s,af_share,longest_pause_s
// The two in good signal leave out what may be noise. Warnings are parted by "; ".
std::string cohort_csv(const std::vector<CohortRow>& rows);

// Throws ErrorKind::output where the files of a batch are there and may not be replaced, and where a batch and the
// result of one recording would share a folder.
void check_cohort_files(const std::filesystem::path& folder, std::size_t recordings, bool force);
void write_cohort(const std::filesystem::path& folder, const std::vector<CohortRow>& rows);

}  // namespace beatscan
