// app/batch/resume.h — finds the results of an interrupted batch that are complete.
#pragma once

#include <filesystem>

#include "app/common/json.h"
#include "app/report/cohort_row.h"

namespace beatscan {

struct Config;
struct Job;
struct RunOptions;

// Returns whether the job's folder holds the job's result: complete, with the same configuration and the same input.
// Throws ErrorKind::output if it holds the result of another input, unless `force` allows replacing it. The input is
// hashed only if its files were modified after the result was written, because reading takes as long as the analysis.
bool is_complete(Job& job, bool force);

// Returns whether a result was made from the input at this path, without reading it: its files have the stamps stored
// in the summary.
bool is_untouched(const Json& summary, const std::filesystem::path& input);

// Runs the checks of is_complete that do not need the input, with the same exceptions. `truth` is the path of the
// reference annotations; empty: none.
void check_same_run(const std::filesystem::path& folder, const Config& config, const RunOptions& options,
                    const std::filesystem::path& truth);

// Returns whether a result is from `beatscan rhythm`, of beats without a signal.
bool is_of_rhythm(const std::filesystem::path& folder);

// Returns the row of a stored result.
CohortRow stored_cohort_row(const std::filesystem::path& folder);

}  // namespace beatscan
