#include "app/partial_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "kernels/check.h"

namespace beatscan {

void check_writable(const std::filesystem::path& path, bool force) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(Status::output, path.string() + ": is a folder; give the name of a file");
  if (!force && std::filesystem::exists(path, ignored))
    throw Error(Status::output, path.string() + ": exists; choose another name, or --force to replace it");
}

// Beside the target, so that the rename stays within one file system.
PartialFile::PartialFile(std::filesystem::path target)
    : target_(std::move(target)), partial_(target_.string() + ".partial-" + std::to_string(::getpid())) {
  descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot be created");
}

PartialFile::~PartialFile() { remove(); }

void PartialFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartialFile::commit() {
  // Some file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0 || ::rename(partial_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    ::unlink(partial_.c_str());
    errno = error;
    fail("cannot be written");
  }
}

void PartialFile::fail(const std::string& what) const {
  throw Error(Status::output, target_.string() + ": " + what + " (" + std::strerror(errno) +
                                  "); check the folder, its permissions and the free space");
}

void PartialFile::remove() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(partial_.c_str());
}

}  // namespace beatscan
