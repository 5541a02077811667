// app/cohort/claim.h — a recording is claimed by one process at a time, also among processes of several hosts.
//
// The claim is a hidden file beside the result, `.NAME.claim`, that the process holds a lock on. The lock ends with the
// process, however that ends; a file without a lock was left by one that was killed. It is a lock of the open file
// (F_OFD_SETLK), which network file systems share among hosts. On a file system without locks nothing is claimed. Two
// processes may then make one result; the second is refused when it puts the result in place.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/files/partial_name.h"

namespace beatscan {

class Claim {
 public:
  // Claims the result at `target`, whose folder must be there. The claim names `input` to other processes. Returns
  // nothing where another process has the claim. Throws ErrorKind::output where the file cannot be made.
  static std::optional<Claim> take(const std::filesystem::path& target, const std::filesystem::path& input);

  ~Claim();  // gives it back
  Claim(Claim&&) noexcept = default;
  Claim& operator=(Claim&&) = delete;

 private:
  Claim(std::filesystem::path path, Descriptor locked) : path_(std::move(path)), locked_(std::move(locked)) {}
  std::filesystem::path path_;
  Descriptor locked_;
};

// Describes a claim to other processes. For people the file also names the host and the process.
struct ClaimState {
  bool held = false;  // a process has it; otherwise the process that had it was killed
  std::string input;
};

// Reads a claim without taking it; nothing where there is none any more.
std::optional<ClaimState> claim_state(const std::filesystem::path& claim);

// Returns the path of the claim of a result.
inline constexpr std::string_view kClaimEnding = ".claim";
std::filesystem::path claim_path(const std::filesystem::path& target);

}  // namespace beatscan
