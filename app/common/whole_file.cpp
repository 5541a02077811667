#include "app/common/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "stages/common/interrupt.h"

namespace beatscan {

std::string stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  if (status.st_ctim.tv_sec >= std::time(nullptr) - 2) return "";
  const auto change = std::to_string(status.st_ctim.tv_sec) + "." + std::to_string(status.st_ctim.tv_nsec);
  return std::to_string(status.st_ino) + ":" + std::to_string(status.st_size) + ":" + change;
}

namespace {

// An open file, and the rules for reading it.
class WholeFile {
 public:
  WholeFile(const std::filesystem::path& path, const WholeFileRules& rules)
      : path_(path),
        rules_(rules),
        descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}  // a pipe may have no writer yet
  ~WholeFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  WholeFile(const WholeFile&) = delete;

  std::string read() const {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) fail_unreadable();
    if (S_ISDIR(status.st_mode)) refuse("is a folder; give a file");
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) refuse("is a device; give a file or a pipe");
    check_size(status.st_size);
    std::string contents;
    contents.reserve(static_cast<std::size_t>(status.st_size));
    while (read_part(contents, !S_ISREG(status.st_mode))) check_size(std::ssize(contents));
    return contents;
  }

 private:
  // Appends the next part to `contents`; false at the end. A signal interrupts only reads that may have to wait: the
  // files of a result are also read while it is renamed, which must not be interrupted.
  bool read_part(std::string& contents, bool may_wait) const {
    char part[1 << 16];
    for (;;) {
      if (may_wait) wait_for_bytes(descriptor_);
      const ssize_t got = ::read(descriptor_, part, sizeof part);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got < 0) fail_unreadable();
      contents.append(part, static_cast<std::size_t>(got));
      return got > 0;
    }
  }
  void check_size(std::int64_t bytes) const {
    if (bytes > rules_.most_bytes)
      refuse("has more than the " + std::to_string(rules_.most_bytes) +
             " bytes that are read of such a file; check the name");
  }
  [[noreturn]] void fail_unreadable() const {
    refuse("cannot be read (" + std::string(std::strerror(errno)) + "); " + rules_.advice);
  }
  [[noreturn]] void refuse(const std::string& what) const { fail(rules_.kind, path_.string(), what); }

  const std::filesystem::path& path_;
  const WholeFileRules& rules_;
  int descriptor_;
};

}  // namespace

std::string read_whole_file(const std::filesystem::path& path, const WholeFileRules& rules) {
  return WholeFile(path, rules).read();
}

}  // namespace beatscan
