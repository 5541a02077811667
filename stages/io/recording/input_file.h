// stages/io/recording/input_file.h — an input as a file that can be read from any offset.
//   regular files            are read as they are
//   pipes, standard input    are read to their end into a temporary file first
//   packed files             are unpacked into a temporary file by unpacked()
// Temporary files are in memory or, where they are too large for that, in $TMPDIR or /tmp (temporary_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace beatscan {

// The identity of a file, and its last modification.
struct FileState {
  std::uint64_t device = 0, number = 0;    // its file system, and its inode there
  std::int64_t bytes = 0, written_ns = 0;  // written_ns: since 1970
  bool operator==(const FileState&) const = default;
};

// Owns an open file descriptor. All members throw ErrorKind::input naming the file if it cannot be read. They throw
// ErrorKind::output if there is no room for a temporary file: on the disk it may take nine tenths of the free space, so
// that no packed or endless input fills it.
class InputFile {
 public:
  // Opens the file; "-" is standard input. Reads what is not a regular file to its end. Refuses folders and devices.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }  // for messages; "standard input" for "-"
  std::int64_t size() const { return size_; }                  // bytes when it was opened
  bool was_pipe() const { return was_pipe_; }                  // a pipe does not show whether all of it came

  // The file's state when it was opened; nothing for pipes and temporary files.
  const std::optional<FileState>& state() const { return opened_; }

  // Throws ErrorKind::input if the file has been written to, cut or replaced since it was opened.
  void check_unchanged() const;
  [[noreturn]] void throw_changed() const;

  // Returns a path that opens this very file, for libraries that open files themselves. It works also if the file has
  // no name any more.
  std::string open_path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  // Reads from byte `offset` until `target` is full or the file ends. Returns the number of bytes read.
  std::int64_t read(std::int64_t offset, std::span<char> target) const;
  // The same, but throws ErrorKind::input if the file ends before `target` is full: it became shorter.
  void read_all(std::int64_t offset, std::span<char> target) const;
  // Returns up to `most` bytes, fewer where the file ends.
  std::string bytes(std::int64_t offset, std::int64_t most) const;

 private:
  friend class TemporaryFile;
  InputFile(std::filesystem::path path, int descriptor, std::int64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

  std::filesystem::path path_;
  int descriptor_;
  std::int64_t size_ = 0;
  bool was_pipe_ = false;
  std::optional<FileState> opened_;
};

// One of the files of an input. It stays open, or is opened again when it is read: a record may have more files than a
// process may have open. Both functions throw ErrorKind::input if the file is no longer what it was when it was first
// examined. check_unchanged() accepts a file that has been removed since.
struct InputPart {
  std::filesystem::path path;
  std::shared_ptr<const InputFile> opened = nullptr;  // null if the file is opened again
  std::optional<FileState> seen = {};                 // its state when it was first examined
  std::shared_ptr<const InputFile> open() const;
  void check_unchanged() const;
};
InputPart input_part(const std::shared_ptr<const InputFile>& file, bool keep_open);

// How a file is packed, by its first bytes.
enum class Packing { none, gzip, zstd, xz, bzip2 };
Packing packing_of(const InputFile& file);
bool is_packed(const InputFile& file);

// Returns the name of a file without the ending of a packed one: "x.csv" for "x.csv.gz".
inline std::filesystem::path without_packing(const std::filesystem::path& name) {
  for (const char* extension : {".gz", ".zst", ".xz", ".bz2"})
    if (name.extension() == extension) return name.parent_path() / name.stem();
  return name;
}

// Unpacks a gzip, zstd, xz or bzip2 file, of one or several parts, into a temporary file. Returns any other file as it
// is. Throws ErrorKind::input if the file is cut off or damaged, and ErrorKind::output if it holds more than
// `most_bytes`. Without `most_bytes` the limit is what a temporary file may take.
std::shared_ptr<const InputFile> unpacked(std::shared_ptr<const InputFile> file,
                                          std::optional<std::int64_t> most_bytes = {});

// Inflates a zlib stream of `bytes` bytes that begins at `offset`, into a temporary file. Throws ErrorKind::input if it
// is cut off or damaged. inflated_start returns at most the first `most_bytes`, and fewer of a damaged stream.
std::shared_ptr<const InputFile> inflated(const InputFile& file, std::int64_t offset, std::int64_t bytes);
std::string inflated_start(const InputFile& file, std::int64_t offset, std::int64_t bytes, std::size_t most_bytes);

}  // namespace beatscan
