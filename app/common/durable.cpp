#include "app/common/durable.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/common/partial_file.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

const char* advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there, or write to another place";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case EFBIG:
      return "files there may not be so large (ulimit -f); write to another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check its permissions, or write to another place";
    default:
      return "check the folder, its permissions and the free space";
  }
}

void sync(int descriptor, const std::filesystem::path& shown) {
  int status;
  while ((status = fsync(descriptor)) != 0 && errno == EINTR) continue;
  if (status != 0) fail_output(shown, "cannot be written", errno);
}

bool cannot_be_synced(int error) { return error == EINVAL || error == EBADF || error == EOPNOTSUPP || error == ENOSYS; }

}  // namespace

void fail_output(const std::filesystem::path& path, const std::string& what, int error) {
  fail(ErrorKind::output, path.string(), what + " (" + std::strerror(error) + "); " + advice(error));
}

void write_all(int descriptor, std::string_view text, const std::filesystem::path& shown) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_output(shown, "cannot be written", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_file(int descriptor, const std::filesystem::path& shown) { sync(descriptor, shown); }

void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& shown) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder may be writable and not readable
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  if (error != 0 && !cannot_be_synced(error)) fail_output(shown, "cannot be written", error);
}

void write_unsynced(const std::filesystem::path& path, std::string_view text, TemporaryFilesOf temporary_files) {
  PartialFile file(path, temporary_files);
  file.write(text);
  file.commit_unsynced();
}

void write_durably(const std::filesystem::path& path, std::string_view text, TemporaryFilesOf temporary_files) {
  PartialFile file(path, temporary_files);
  file.write(text);
  file.commit();
}

}  // namespace beatscan
