// app/report/cohort_row.h — one recording of a batch, as the lists of the batch show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/json.h"

namespace beatscan {

struct RunResult;

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
  std::vector<std::optional<double>> waves;     // [wave_columns()]
  std::optional<double> drift;                  // from what a saved model was trained on; nothing where none was used
  std::vector<std::string> advisories;
  bool page = true;      // there is a report.html
  bool revised = false;  // there is a result with a reader's corrections; write_cohort() looks for it
  RecordingState state = RecordingState::complete;
  int failure_status = 0;   // the exit status that the failure alone would have had
  std::string folder = "";  // of the result, seen from the table; empty: it is the name
  // Of the normal beats in good signal, of which intervals are medians, those with a P wave.
  struct PWaves {
    double share = 0;
    std::int64_t beats = 0;
  };
  std::optional<PWaves> p_waves = {};
  std::optional<double> af_confidence = {};  // of its atrial fibrillation, mean over time; write_cohort() reads it
};
CohortRow cohort_row(const RunResult& result);
CohortRow failed_row(std::string input, std::string name, int status, std::string why);

// Returns the value of a column of findings or of waves; nothing for a recording without any.
std::optional<double> finding_of(const CohortRow& row, std::size_t column);
std::optional<double> wave_value_of(const CohortRow& row, std::size_t column);

// Returns the beats with a P wave by the `waves` of a summary; nothing where it has none.
std::optional<CohortRow::PWaves> p_waves_of(const Json& waves);

// Returns the value of a column of findings by its name.
std::optional<double> finding_named(const CohortRow& row, std::string_view name);

// Returns the advisories in one line, parted by "; ".
std::string joined_advisories(const CohortRow& row);

}  // namespace beatscan
