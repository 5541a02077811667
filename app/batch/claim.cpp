#include "app/batch/claim.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "app/common/json.h"
#include "app/common/json_text.h"
#include "app/common/partial_file.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Locks the whole file for this open file description; returns an errno, 0 on success.
int lock_open_file(int descriptor) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

// Returns whether another open file holds the lock. Takes no lock itself, which could block a claimant.
bool is_locked(int descriptor) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

bool is_held_by_another(int error) { return error == EAGAIN || error == EACCES; }

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Writes which process has the claim. A failure to write is ignored, because the lock is the claim.
void tell_claimant(int descriptor, const fs::path& input) {
  const std::string text =
      text_of(Json{{"input", input.string()}, {"host", host_name()}, {"process", getpid()}}, -1) + "\n";
  if (ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const auto written = pwrite(descriptor, text.data(), text.size(), 0);
  }
}

}  // namespace

fs::path claim_path(const fs::path& target) { return hidden_path(target, kClaimEnding); }

std::optional<Claim> Claim::take(const fs::path& target, const fs::path& input) {
  const fs::path path = claim_path(target);
  for (;;) {
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file) fail_output(target, "cannot be made", errno);
    if (is_held_by_another(lock_open_file(file.get()))) return std::nullopt;
    // Between opening and locking, the previous holder may have released it and removed the file.
    if (!names_this_file(path, file.get())) continue;
    tell_claimant(file.get(), input);
    return Claim(path, std::move(file));
  }
}

Claim::~Claim() {
  if (locked_) unlink(path_.c_str());
}

std::optional<ClaimState> claim_state(const fs::path& claim) {
  const Descriptor file(open(claim.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::array<char, 8192> text{};
  const ssize_t bytes = pread(file.get(), text.data(), text.size(), 0);
  ClaimState state{.held = is_locked(file.get())};
  const Json json = parse_json_if_any<Json>({text.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))});
  if (json.is_object() && json.contains("input") && json["input"].is_string())
    state.input = json["input"].get<std::string>();
  return state;
}

}  // namespace beatscan
