#include "stages/recording/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

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

namespace beatscan {

// A temporary file that has no name: it is removed when its last descriptor is closed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::optional<std::int64_t> most_bytes = {}) {
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
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  TemporaryFile(const TemporaryFile&) = delete;

  void append(std::span<const char> bytes) {
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
  // Hands the file over for reading. `path` names the input that it holds in messages.
  InputFile take(const std::filesystem::path& path) { return {path, std::exchange(descriptor_, -1), size_}; }

 private:
  [[noreturn]] void throw_no_room(const std::string& why) const {
    fail(ErrorKind::output, folder_,
         "no room for a temporary file: " + why + "; set TMPDIR to a folder that has it, or unpack the input first");
  }
  std::string folder_;
  int descriptor_ = -1;
  std::int64_t size_ = 0, most_bytes_ = 0;
};

namespace {

constexpr std::size_t kBlock = 1 << 20;

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, int error) {
  const char* const advice = error == EISDIR                      ? "; give a file, or a WFDB record"
                             : error == ENOENT || error == EACCES ? "; check the name and its permissions"
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

// Reads a file from start to end, block by block.
class Blocks {
 public:
  explicit Blocks(const InputFile& file) : file_(file), memory_(kBlock) {}
  // Returns the next block; an empty one at the end.
  std::span<char> next() {
    const auto got = file_.read(offset_, memory_);
    offset_ += got;
    return std::span(memory_).first(static_cast<std::size_t>(got));
  }
  [[noreturn]] void throw_damaged(const char* format, const std::string& what) const {
    fail(ErrorKind::input, file_.path().string(),
         std::string("not a whole ") + format + " file: " + what + " before byte " + std::to_string(offset_) + " of " +
             std::to_string(file_.size()) + "; copy or pack it again");
  }

 private:
  const InputFile& file_;
  std::vector<char> memory_;
  std::int64_t offset_ = 0;
};

constexpr const char* kStandardInput = "standard input";

FileState state_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size,
          status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
}

enum class Packing { none, gzip, zstd };

Packing packing_of(const InputFile& file) {
  using namespace std::string_view_literals;
  std::array<char, 4> first{};
  const std::string_view magic(first.data(), static_cast<std::size_t>(file.read(0, first)));
  return magic.starts_with("\x1f\x8b"sv) ? Packing::gzip
         : magic == "\x28\xb5\x2f\xfd"sv ? Packing::zstd
                                         : Packing::none;
}

void unpack_gzip(const InputFile& file, TemporaryFile& target) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;                                     // the largest window; gzip's header and checksum
  if (inflateInit2(&stream, kGzip) != Z_OK) throw std::bad_alloc();  // too little memory is the only cause
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> end(&stream, inflateEnd);
  Blocks blocks(file);
  std::vector<char> text(kBlock);
  bool within_member = true;  // so that an empty file is cut off
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    stream.next_in = reinterpret_cast<Bytef*>(block.data());
    stream.avail_in = static_cast<uInt>(block.size());
    while (stream.avail_in > 0 || stream.avail_out == 0) {
      if (!within_member) {  // another member follows
        if (stream.avail_in == 0) break;
        inflateReset(&stream);
        within_member = true;
      }
      stream.next_out = reinterpret_cast<Bytef*>(text.data());
      stream.avail_out = static_cast<uInt>(text.size());
      const int status = inflate(&stream, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        blocks.throw_damaged("gzip", stream.msg ? stream.msg : "damaged");
      target.append(std::span<const char>(text).first(text.size() - stream.avail_out));
      within_member = status != Z_STREAM_END;
      if (status == Z_BUF_ERROR) break;  // zlib needs more input
    }
  }
  if (within_member) blocks.throw_damaged("gzip", "it is cut off");
}

void unpack_zstd(const InputFile& file, TemporaryFile& target) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  Blocks blocks(file);
  std::vector<char> text(kBlock);
  std::size_t wanted = 1;  // 0 at the end of a frame
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    ZSTD_inBuffer in{block.data(), block.size(), 0};
    for (bool full = false; in.pos < in.size || full;) {
      ZSTD_outBuffer out{text.data(), text.size(), 0};
      wanted = ZSTD_decompressStream(context.get(), &out, &in);
      if (ZSTD_getErrorCode(wanted) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (ZSTD_isError(wanted)) blocks.throw_damaged("zstd", ZSTD_getErrorName(wanted));
      target.append(std::span<const char>(text).first(out.pos));
      full = out.pos == out.size && wanted != 0;
    }
  }
  if (wanted != 0) blocks.throw_damaged("zstd", "it is cut off");
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

bool is_packed(const InputFile& file) { return packing_of(file) != Packing::none; }

std::shared_ptr<const InputFile> unpacked(std::shared_ptr<const InputFile> file,
                                          std::optional<std::int64_t> most_bytes) {
  const Packing packing = packing_of(*file);
  if (packing == Packing::none) return file;
  TemporaryFile text(most_bytes);
  packing == Packing::gzip ? unpack_gzip(*file, text) : unpack_zstd(*file, text);
  return std::make_shared<const InputFile>(text.take(file->path()));
}

}  // namespace beatscan
