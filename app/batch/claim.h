// app/batch/claim.h — a lock file by which one process at a time claims a recording, also across hosts.
//
// The claim is a hidden file beside the result, `.NAME.claim`, on which the process holds a lock. The lock ends with
// the process in any case; a file without a lock was left by a killed process. It is a lock of the open file
// description (F_OFD_SETLK), which network file systems share among hosts. On a file system without locks nothing is
// claimed. Two processes may then analyse the same recording; the second is refused when it moves its result into
// place.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/common/partial_file.h"

namespace beatscan {

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

}  // namespace beatscan
