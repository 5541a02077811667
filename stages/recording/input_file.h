// stages/recording/input_file.h — a file that can be read from any place: regular files as they are, pipes and standard
// input by way of a temporary file, gzip and zstd files unpacked into one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace beatscan {

// Which file, and when it was last written to.
struct FileState {
  std::uint64_t device = 0, number = 0;
  std::int64_t bytes = 0, written_ns = 0;
  bool operator==(const FileState&) const = default;
};

// An open file descriptor. Errors are ErrorKind::input and name the file; ErrorKind::output where temporary space runs
// out: a file may take nine tenths of what is free, so that no packed or endless input fills the disk.
class InputFile {
 public:
  // "-" is standard input. What is no regular file is read to its end into a temporary file ($TMPDIR or /tmp) first.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }  // for messages; "standard input" for "-"
  std::int64_t size() const { return size_; }                  // bytes when it was opened
  bool was_pipe() const { return was_pipe_; }                  // of which nobody can tell whether all of it came

  // When it was opened; nothing for pipes.
  const std::optional<FileState>& state() const { return opened_; }

  // Throws ErrorKind::input where the file has been written to, cut or replaced since it was opened.
  void check_unchanged() const;
  [[noreturn]] void throw_changed() const;

  // For libraries that open files themselves: names this open file, also where it has no name any more.
  std::string open_path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  // Fills `target` from byte `offset` on as far as the file reaches; returns the bytes read.
  std::int64_t read(std::int64_t offset, std::span<char> target) const;

 private:
  friend class TemporaryFile;
  InputFile(std::filesystem::path path, int descriptor, std::int64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}

  std::filesystem::path path_;
  int descriptor_;
  std::int64_t size_ = 0;
  bool was_pipe_ = false;
  std::optional<FileState> opened_;  // nothing for temporary files
};

// A file of an input: open, or to be opened when it is read (a record may have thousands). Both functions throw
// ErrorKind::input where it is not what it was when it was looked at first; one that has gone since harms
// check_unchanged() no more than a file that is open.
struct InputPart {
  std::filesystem::path path;
  std::shared_ptr<const InputFile> opened = nullptr;
  std::optional<FileState> seen = {};
  std::shared_ptr<const InputFile> open() const;
  void check_unchanged() const;
};
InputPart part_of(const std::shared_ptr<const InputFile>& file, bool keep_open);

// Whether it is a gzip or a zstd file, by its first bytes.
bool is_packed(const InputFile& file);

// The text of a file: what a gzip (one member or several) or zstd file holds, told by its first bytes, in a temporary
// file; any other file itself. A compressed file that is cut off or damaged is ErrorKind::input, one that holds more
// than `most_bytes` (nothing: what a temporary file may take) ErrorKind::output.
std::shared_ptr<const InputFile> text_of(std::shared_ptr<const InputFile> file,
                                         std::optional<std::int64_t> most_bytes = {});

}  // namespace beatscan
