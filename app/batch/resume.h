// app/batch/resume.h — what earlier and concurrent processes did with the recordings of a batch: claims, failure
// records, finished results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/common/json.h"
#include "app/common/partial_file.h"
#include "app/report/cohort_row.h"

namespace beatscan {

struct Config;
struct Job;
struct RunOptions;

// A lock file by which one process at a time claims a recording, also across hosts.
//
// The claim is a hidden file beside the result, `.NAME.claim`, on which the process holds a lock. The lock ends with
// the process in any case; a file without a lock was left by a killed process. It is a lock of the open file
// description (F_OFD_SETLK), which network file systems share among hosts. On a file system without locks nothing is
// claimed. Two processes may then analyse the same recording; the second is refused when it moves its result into
// place.

class Claim {
 public:
  // Claims the result at `target`, whose parent folder must exist. The claim names `input` for other processes. Returns
  // nullopt if another process has the claim. Throws ErrorKind::output if the file cannot be created.
  static std::optional<Claim> take(const std::filesystem::path& target, const std::filesystem::path& input);

  ~Claim();  // releases the claim
  Claim(Claim&&) noexcept = default;
  Claim& operator=(Claim&&) = delete;

 private:
  Claim(std::filesystem::path path, Descriptor locked) : path_(std::move(path)), locked_(std::move(locked)) {}
  std::filesystem::path path_;
  Descriptor locked_;
};

// A claim as other processes see it. For people, the file also names the host and the process.
struct ClaimState {
  bool held = false;  // a process has it; otherwise that process was killed
  std::string input;
};

// Reads a claim without taking it; nullopt if it no longer exists.
std::optional<ClaimState> claim_state(const std::filesystem::path& claim);

// Returns the path of the claim of a result.
inline constexpr std::string_view kClaimEnding = ".claim";
std::filesystem::path claim_path(const std::filesystem::path& target);

// The record of a failed recording: `.NAME.failed.json` beside the path of its result. From it, a later `cohort` learns
// of the failure, whichever process had it. A later result removes the record.

// Writes the failure record of a row atomically. It is not synced: if it is lost, the recording counts as missing, and
// --resume analyses it. Throws ErrorKind::output.
void write_failure(const std::filesystem::path& target, const CohortRow& row);
void remove_failure(const std::filesystem::path& target) noexcept;

// Reads a record. A damaged one still means that its recording failed.
CohortRow read_failure(const std::filesystem::path& record, const std::string& name);

// Returns the path of the record of a result.
inline constexpr std::string_view kFailureEnding = ".failed.json";
std::filesystem::path failure_path(const std::filesystem::path& target);

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
