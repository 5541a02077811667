#include "stages/recording/temporary_file.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {

TemporaryFile::TemporaryFile(std::optional<std::int64_t> most_bytes) {
  const char* folder = std::getenv("TMPDIR");
  folder_ = folder && *folder ? folder : "/tmp";
  std::string name = folder_ + "/beatscan-XXXXXX";
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw_no_room(std::strerror(errno));
  unlink(name.c_str());
  struct statvfs space {};
  if (fstatvfs(descriptor_, &space) != 0) throw_no_room(std::strerror(errno));
  most_bytes_ = most_bytes.value_or(static_cast<std::int64_t>(space.f_bavail * space.f_frsize / 10 * 9));
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void TemporaryFile::append(std::span<const char> bytes) {
  throw_if_interrupted();  // to unpack a file, or to read a pipe to its end, may take minutes
  size_ += std::ssize(bytes);
  if (size_ > most_bytes_) throw_no_room("the input takes more than " + std::to_string(most_bytes_) + " bytes");
  while (!bytes.empty()) {
    const ssize_t done = write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_no_room(std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

InputFile TemporaryFile::take(const std::filesystem::path& path) {
  return {path, std::exchange(descriptor_, -1), size_};
}

void TemporaryFile::throw_no_room(const std::string& why) const {
  fail(ErrorKind::output, folder_,
       "no room for a temporary file: " + why + "; set TMPDIR to a folder that has it, or unpack the input first");
}

}  // namespace beatscan
