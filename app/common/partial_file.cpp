#include "app/common/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/runtime/error.h"

namespace beatscan {

std::filesystem::path hidden_path(const std::filesystem::path& result, std::string_view ending) {
  return parent_of(result) / ("." + result.filename().string() + std::string(ending));
}

std::string name_of_hidden(const std::string& file_name, std::string_view ending) {
  const bool is_hidden = file_name.starts_with('.') && file_name.ends_with(ending);
  return is_hidden && file_name.size() > 1 + ending.size() ? file_name.substr(1, file_name.size() - 1 - ending.size())
                                                           : "";
}

namespace {

namespace fs = std::filesystem;

fs::path hidden(const fs::path& target, const char* purpose, int attempt) {
  std::string name = "." + target.filename().string() + "." + purpose + "-" + std::to_string(getpid());
  if (attempt > 0) name += "-" + std::to_string(attempt);
  return parent_of(target) / name;
}

// Returns the target's name for a name created by hidden(), of any process; empty: not such a name.
std::string name_of_target(const std::string& name, const char* purpose) {
  const std::string part = std::string(".") + purpose + "-";
  const auto at = name.rfind(part);
  const bool is_hidden = name.starts_with('.') && at != name.npos && at > 1 && name.size() > at + part.size() &&
                         name.find_first_not_of("0123456789-", at + part.size()) == name.npos;
  return is_hidden ? name.substr(1, at - 1) : "";
}

// Locks it; false if another process holds the lock.
bool locked(const Descriptor& descriptor) { return flock(descriptor.get(), LOCK_EX | LOCK_NB) == 0; }

// Returns whether `path` still refers to the open file. Between its creation and the lock, another program may have
// removed it as a killed program's temporary file.
bool is_still(const fs::path& path, const Descriptor& descriptor) { return names_this_file(path, descriptor.get()); }

// Creates something new with a hidden name and locks it. make(path) returns its descriptor, or sets errno and leaves
// nothing. On a file system without locks it stays unlocked.
template <class Make>
Partial new_partial(const fs::path& target, TemporaryFilesOf temporary_files, Make&& make) {
  if (temporary_files == TemporaryFilesOf::clean_up) clean_up_after_killed(target);
  for (int attempt = 0;; ++attempt) {
    Partial partial{hidden(target, "partial", attempt), {}};
    partial.locked = Descriptor(make(partial.path));
    if (!partial.locked && errno == EEXIST && attempt < 1000) continue;
    if (!partial.locked) fail_output(target, "cannot be made", errno);
    if (!locked(partial.locked) && errno == EWOULDBLOCK) continue;
    if (is_still(partial.path, partial.locked)) return partial;
  }
}

// Returns the hidden temporary files of one target in a folder; for an empty name, those of all targets.
std::vector<fs::path> hidden_entries(const fs::path& folder, const std::string& target, const char* purpose) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = name_of_target(entry->path().filename().string(), purpose);
    if (!name.empty() && (target.empty() || name == target)) found.push_back(entry->path());
  }
  std::ranges::sort(found);
  return found;
}

// Opens and locks a temporary file or folder; returns nullopt if another process holds it.
Descriptor abandoned(const fs::path& path) {
  Descriptor descriptor(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (descriptor && locked(descriptor) && is_still(path, descriptor)) return descriptor;
  return Descriptor();
}

}  // namespace

bool names_this_file(const fs::path& path, int descriptor) {
  struct stat named = {}, opened = {};
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

Descriptor::Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

int Descriptor::reset() { return descriptor_ < 0 ? 0 : close(std::exchange(descriptor_, -1)); }

fs::path parent_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

Partial new_partial_file(const fs::path& target, TemporaryFilesOf temporary_files) {
  return new_partial(target, temporary_files, [](const fs::path& path) {
    return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
}

Partial new_partial_folder(const fs::path& target, TemporaryFilesOf temporary_files) {
  return new_partial(target, temporary_files, [](const fs::path& path) {
    if (mkdir(path.c_str(), 0777) != 0) return -1;
    const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
      const int error = errno;  // such as too many open files
      rmdir(path.c_str());
      // Another program may have removed it as a killed program's temporary file: try the next name.
      errno = error == ENOENT ? EEXIST : error;
    }
    return descriptor;
  });
}

void remove_partial_folder(const fs::path& folder, const std::set<fs::path>& files) {
  std::set<fs::path> subfolders;  // in this order a folder precedes its contents
  for (const auto& name : files) {
    unlink((folder / name).c_str());
    for (fs::path parent = name.parent_path(); !parent.empty(); parent = parent.parent_path())
      subfolders.insert(folder / parent);
  }
  for (auto subfolder = subfolders.rbegin(); subfolder != subfolders.rend(); ++subfolder) rmdir(subfolder->c_str());
  std::error_code ignored;
  if (rmdir(folder.c_str()) != 0) fs::remove_all(folder, ignored);
}

Partial previous_of(const fs::path& target) {
  Partial previous{hidden(target, "previous", 0), Descriptor(open(target.c_str(), O_RDONLY | O_CLOEXEC))};
  locked(previous.locked);  // so that nobody puts it back meanwhile
  return previous;
}

namespace {

void clean_up(const fs::path& folder, const std::string& target) {
  std::error_code ignored;
  for (const auto& path : hidden_entries(folder, target, "previous"))
    if (const Descriptor ours = abandoned(path)) {
      const fs::path place = folder / name_of_target(path.filename().string(), "previous");
      if (!fs::exists(fs::symlink_status(place, ignored)))
        fs::rename(path, place, ignored);
      else
        fs::remove_all(path, ignored);
    }
  for (const auto& path : hidden_entries(folder, target, "partial"))
    if (const Descriptor ours = abandoned(path)) fs::remove_all(path, ignored);
}

}  // namespace

void clean_up_after_killed(const fs::path& target) { clean_up(parent_of(target), target.filename().string()); }

void clean_up_folder_after_killed(const fs::path& folder) { clean_up(folder, ""); }

void check_writable(const std::filesystem::path& path, bool force) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail(ErrorKind::output, path.string(), "is a folder; give the name of a file");
  if (!force && std::filesystem::exists(path, ignored))
    fail(ErrorKind::output, path.string(), "exists; choose another name, or --force to replace it");
}

// The hidden name is beside the target, so that the rename stays within one file system.
PartialFile::PartialFile(std::filesystem::path target, TemporaryFilesOf temporary_files)
    : target_(std::move(target)), partial_(new_partial_file(target_, temporary_files)) {}

PartialFile::~PartialFile() {
  if (!partial_.path.empty()) unlink(partial_.path.c_str());
}

void PartialFile::write(std::string_view text) { write_all(partial_.locked.get(), text, target_); }

void PartialFile::sync() { sync_file(partial_.locked.get(), target_); }

void PartialFile::commit() {
  sync();
  commit_unsynced();
  sync_folder(parent_of(target_), target_);
}

void PartialFile::commit_unsynced() {
  if (rename(partial_.path.c_str(), target_.c_str()) != 0) fail_output(target_, "cannot be made", errno);
  partial_.path.clear();
  partial_.locked.reset();  // not earlier: another program removes a partial file that is not locked
}

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
