// app/batch/resume.h — finds the results of an interrupted batch that need not be made again.
#pragma once

#include <filesystem>

#include "app/report/cohort_row.h"
#include "app/text/json.h"

namespace beatscan {

struct Config;
struct Job;
struct RunOptions;

// Tells whether the job's folder holds what the job would put there: a complete result by the same configuration, of
// the same input. Throws ErrorKind::output where it holds the result of another, unless `force` allows to replace it.
// The input is opened and hashed only where its files were touched since the result was made: reading it takes as long
// as making the result.
bool is_complete(Job& job, bool force);

// Tells whether the input at this path is the one that a result was made of, without reading it: its files have the
// stamps that the summary keeps.
bool is_untouched(const Json& summary, const std::filesystem::path& input);

// Makes the checks of is_complete that do not need the input, and throws as it does. `truth` is what the recording is
// compared with; empty: nothing.
void check_same_run(const std::filesystem::path& folder, const Config& config, const RunOptions& options,
                    const std::filesystem::path& truth);

// Tells whether a result is one of `beatscan rhythm`, of beats without a signal.
bool is_of_rhythm(const std::filesystem::path& folder);

// Returns the row of a stored result.
CohortRow stored_cohort_row(const std::filesystem::path& folder);

}  // namespace beatscan
