#include "app/batch/failure_record.h"

#include "app/common/errors.h"
#include "app/common/json.h"
#include "app/common/json_text.h"
#include "app/common/partial_file.h"
#include "app/common/whole_file.h"
#include "stages/common/one_line.h"

namespace beatscan {

std::filesystem::path failure_path(const std::filesystem::path& target) { return hidden_path(target, kFailureEnding); }

void write_failure(const std::filesystem::path& target, const CohortRow& row) {
  const Json record = {{"schema_version", 1},
                       {"input", row.input},
                       {"name", row.name},
                       {"status", row.failure_status},
                       {"message", row.failure}};
  // If the record is lost, the recording counts as missing, and --resume analyses it anyway. Syncing each record took
  // 16 ms, and a list may have 60,000 failures.
  write_unsynced(failure_path(target), text_of(record) + "\n", TemporaryFilesOf::are_cleaned_up);
}

void remove_failure(const std::filesystem::path& target) noexcept {
  std::error_code ignored;
  std::filesystem::remove(failure_path(target), ignored);
}

CohortRow read_failure(const std::filesystem::path& record, const std::string& name) {
  try {
    const Json json = parse_json<Json>(read_whole_file(record));
    return failed_row(json.at("input").get<std::string>(), name, json.at("status").get<int>(),
                      in_one_line(json.at("message").get<std::string>()));
  } catch (const std::exception&) {
    return failed_row("", name, static_cast<int>(ExitStatus::output),
                      record.string() + ": is damaged; --resume analyses the recording again");
  }
}

}  // namespace beatscan
