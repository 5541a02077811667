// app/batch/cohort.h — the command `cohort`: lists all results below some folders, in whatever state they are. It
// completes a batch whose recordings were analysed by several processes.
#pragma once

#include <filesystem>
#include <vector>

#include "app/report/cohort_row.h"

namespace beatscan {

class Log;

struct CohortRequest {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path list;  // of the expected recordings; empty: those that are found
  std::filesystem::path out;   // where the lists are written; empty: the first folder
  bool force = false;          // replaces files of the same names that this program did not write
};

// Returns the row of one path: that of its result, or of the traces of a recording without a result. An active claim
// means that the recording is being analysed, whatever its earlier state.
CohortRow row_of_place(const std::filesystem::path& place);

// Finds the results below a folder, and the traces of recordings without one: failure records, claims, checkpoints.
// Does not search results, nor folders behind links, except for results that a link names. Rows are unordered, and
// their folders are relative to `out`. A result that cannot be read counts as a failure.
std::vector<CohortRow> rows_below(const std::filesystem::path& folder, const std::filesystem::path& out);

// Adds the recordings of a list that are not among the rows, as missing. Warns of results whose input differs from the
// list.
void add_missing(std::vector<CohortRow>& rows, const std::filesystem::path& list, const std::filesystem::path& out,
                 Log& log);

// Writes index.html, cohort.csv and failures.csv, and prints the number of recordings in each state. A result and links
// to it count once. Throws ErrorKind::input if no recording is found, and ErrorKind::output if a file of one of those
// names exists that is not a batch list.
void cohort_command(const CohortRequest& request, Log& log);

}  // namespace beatscan
