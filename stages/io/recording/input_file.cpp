#include "stages/io/recording/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"
#include "stages/io/recording/temporary_file.h"

namespace beatscan {

namespace {

constexpr std::size_t kBlock = 1 << 20;

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, int error) {
  const char* const advice = error == EISDIR                      ? "; give a file, or a WFDB record"
                             : error == ENOENT || error == EACCES ? "; check the name and its permissions"
                             : error == EMFILE || error == ENFILE ? "; raise the limit of open files (ulimit -n)"
                                                                  : "";
  fail(ErrorKind::input, path.string(), std::string("cannot be read: ") + std::strerror(error) + advice);
}

[[noreturn]] void throw_changed_file(const std::filesystem::path& path) {
  fail(ErrorKind::input, path.string(), "changed while it was read; try again when it is written");
}

// Reads a pipe to its end into a temporary file.
void spool(int descriptor, const std::filesystem::path& path, TemporaryFile& file) {
  std::vector<char> block(kBlock);
  for (;;) {
    wait_for_bytes(descriptor);
    const ssize_t got = read(descriptor, block.data(), block.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) throw_unreadable(path, errno);
    if (got == 0) return;
    file.append(std::span(block).first(static_cast<std::size_t>(got)));
  }
}

constexpr const char* kStandardInput = "standard input";

FileState state_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size,
          status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
}

}  // namespace

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path == "-" ? kStandardInput : path),
      descriptor_(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              // O_NONBLOCK: a named pipe may have no writer yet
                              : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) throw_unreadable(path_, errno);
  struct stat status {};
  const bool known = fstat(descriptor_, &status) == 0;
  size_ = status.st_size;
  if (known && S_ISREG(status.st_mode) && lseek(descriptor_, 0, SEEK_CUR) == 0) {
    opened_ = state_of(status);
    return;
  }
  const int error = !known ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  InputFile pipe(path_, std::exchange(descriptor_, -1), 0);  // its destructor closes the pipe, also after an error
  if (error != 0) throw_unreadable(path_, error);
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))  // a device may have no end
    fail(ErrorKind::input, path_.string(), "is a device; give a file or a pipe");
  TemporaryFile file;
  spool(pipe.descriptor_, path_, file);
  InputFile whole = file.take(path_);
  size_ = whole.size_;
  was_pipe_ = true;
  descriptor_ = std::exchange(whole.descriptor_, -1);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      was_pipe_(other.was_pipe_),
      opened_(other.opened_) {}

// The name may belong to another file by now. If it belongs to none, the open file is still the same.
void InputFile::check_unchanged() const {
  struct stat now {};
  if (!opened_) return;
  if (fstat(descriptor_, &now) != 0 || state_of(now) != *opened_) throw_changed();
  if (path_ != kStandardInput && stat(path_.c_str(), &now) == 0 && state_of(now) != *opened_) throw_changed();
}

void InputFile::throw_changed() const { throw_changed_file(path_); }

std::int64_t InputFile::read(std::int64_t offset, std::span<char> target) const {
  std::int64_t done = 0;
  while (done < std::ssize(target)) {
    const auto rest = target.subspan(static_cast<std::size_t>(done));
    const ssize_t got = pread(descriptor_, rest.data(), rest.size(), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unreadable(path_, errno);
    if (got == 0) break;
    done += got;
  }
  return done;
}

void InputFile::read_all(std::int64_t offset, std::span<char> target) const {
  if (read(offset, target) != std::ssize(target))
    fail(ErrorKind::input, path_.string(), "became shorter while it was read");
}

std::string InputFile::bytes(std::int64_t offset, std::int64_t most) const {
  std::string bytes(static_cast<std::size_t>(most), '\0');
  bytes.resize(static_cast<std::size_t>(read(offset, bytes)));
  return bytes;
}

std::shared_ptr<const InputFile> InputPart::open() const {
  if (opened) return opened;
  check_unchanged();  // first: if the name is now that of a pipe, opening it would wait for its writer
  auto file = std::make_shared<const InputFile>(path);
  if (seen && file->state() != seen) file->throw_changed();
  return file;
}

void InputPart::check_unchanged() const {
  struct stat now {};
  if (opened) return opened->check_unchanged();
  if (seen && stat(path.c_str(), &now) == 0 && state_of(now) != *seen) throw_changed_file(path);
}

InputPart input_part(const std::shared_ptr<const InputFile>& file, bool keep_open) {
  return {file->path(), keep_open ? file : nullptr, file->state()};
}

}  // namespace beatscan
