// app/batch/failure_record.h — the record of a failed recording: `.NAME.failed.json` beside the path of its result.
// From it, a later `cohort` learns of the failure, whichever process had it. A later result removes the record.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/report/cohort_row.h"

namespace beatscan {

// Writes the failure record of a row atomically. It is not synced: if it is lost, the recording counts as missing, and
// --resume analyses it. Throws ErrorKind::output.
void write_failure(const std::filesystem::path& target, const CohortRow& row);
void remove_failure(const std::filesystem::path& target) noexcept;

// Reads a record. A damaged one still means that its recording failed.
CohortRow read_failure(const std::filesystem::path& record, const std::string& name);

// Returns the path of the record of a result.
inline constexpr std::string_view kFailureEnding = ".failed.json";
std::filesystem::path failure_path(const std::filesystem::path& target);

}  // namespace beatscan
