// app/batch/cohort.h — the command `cohort`: lists of whatever results lie below some folders, in whatever state they
// are. It ends a batch whose recordings several processes made.
#pragma once

#include <filesystem>
#include <vector>

#include "app/report/cohort_row.h"

namespace beatscan {

class Log;

struct CohortRequest {
  std::vector<std::filesystem::path> folders;
  std::filesystem::path list;  // of the recordings that there should be; empty: what there is
  std::filesystem::path out;   // where the lists are put; empty: the first folder
  bool force = false;          // replace files of the lists' names that this program did not write
};

// Returns the row of one place: of the result there, or of the traces of a recording that has none. A claim that is
// held tells that the recording is being made, whatever was of it before.
CohortRow row_of_place(const std::filesystem::path& place);

// Finds the results below a folder, and the traces of recordings that have none: failures, claims, checkpoints. Does
// not look into results, nor into folders behind links, except for results that a link names. Rows are in no order, and
// their folders are relative to `out`. A result that cannot be read is a failure.
std::vector<CohortRow> rows_below(const std::filesystem::path& folder, const std::filesystem::path& out);

// Adds the recordings of a list that are not among the rows, as missing. Warns of results whose input is another than
// the list says.
void add_missing(std::vector<CohortRow>& rows, const std::filesystem::path& list, const std::filesystem::path& out,
                 Log& log);

// Writes index.html, cohort.csv and failures.csv, and says on stdout how many recordings are in which state. A result
// and links to it count once. Throws ErrorKind::input where there is no recording in any state. Throws
// ErrorKind::output where a file of one of those names is there that is no list of a batch.
void cohort_command(const CohortRequest& request, Log& log);

}  // namespace beatscan
