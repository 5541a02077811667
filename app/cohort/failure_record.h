// app/cohort/failure_record.h — the record of a recording that failed: `.NAME.failed.json` beside the place of its
// result. By it a later `cohort` knows of the failure, whichever process had it. A result that is made later removes
// the record.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/report/cohort_row.h"

namespace beatscan {

// Writes the record of a row that failed, whole or not at all. The system brings it to the disk in its own time: if it
// is lost, the recording counts as missing, and --resume makes it. Throws ErrorKind::output.
void write_failure(const std::filesystem::path& target, const CohortRow& row);
void remove_failure(const std::filesystem::path& target) noexcept;

// Reads a record. One that is damaged still tells that its recording failed.
CohortRow read_failure(const std::filesystem::path& record, const std::string& name);

// Returns the path of the record of a result.
inline constexpr std::string_view kFailureEnding = ".failed.json";
std::filesystem::path failure_path(const std::filesystem::path& target);

}  // namespace beatscan
