// stages/input_file.h — a file that can be read from any place: regular files as they are, pipes and standard input by
// way of a temporary file, gzip and zstd files unpacked into one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace beatscan {

// An open file descriptor. Errors are Status::input and name the file; Status::output where temporary space runs out.
class InputFile {
 public:
  // "-" is standard input. What is no regular file is read to its end into a temporary file ($TMPDIR or /tmp) first.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;

  const std::filesystem::path& path() const { return path_; }  // for messages; "standard input" for "-"
  std::int64_t size() const { return size_; }                  // bytes when it was opened

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
};

// A file of an input: open, or to be opened when it is read (a record may have thousands).
struct InputPart {
  std::filesystem::path path;
  std::shared_ptr<const InputFile> opened = nullptr;
  std::shared_ptr<const InputFile> open() const { return opened ? opened : std::make_shared<const InputFile>(path); }
};

// Whether it is a gzip or a zstd file, by its first bytes.
bool is_packed(const InputFile& file);

// The text of a file: what a gzip (one member or several) or zstd file holds, told by its first bytes, in a temporary
// file; any other file itself. A compressed file that is cut off or damaged is Status::input.
std::shared_ptr<const InputFile> text_of(std::shared_ptr<const InputFile> file);

}  // namespace beatscan
