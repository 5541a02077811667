// app/run/resume.h — results of an interrupted batch that need not be made again.
#pragma once

#include <filesystem>

#include "app/report/cohort_page.h"
#include "app/run/pipeline.h"

namespace beatscan {

// Whether `folder` holds what this request would put there: a complete result by the same configuration, of the same
// input. ErrorKind::output where it holds the result of another, unless `force` allows to replace it.
bool is_complete(const std::filesystem::path& folder, const RunRequest& request, bool force);

// The part of it that can be told without reading the input.
void check_same_run(const std::filesystem::path& folder, const Config& config, const std::filesystem::path& model);

// The row of a stored result.
CohortRow stored_cohort_row(const std::filesystem::path& folder);

}  // namespace beatscan
