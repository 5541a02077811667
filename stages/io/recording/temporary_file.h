// stages/io/recording/temporary_file.h — a file for unpacked data, or for data from a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "kernels/machine/host_memory.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {

// A temporary file that has no name: it is removed when its last descriptor is closed. It lies in memory as long as
// four times its size are still available there, and moves to $TMPDIR or /tmp when it grows beyond that. Throws
// ErrorKind::output if it would hold more than `most_bytes`; without them, nine tenths of that folder's free space.
class TemporaryFile {
 public:
  // `available` returns the bytes of memory that are left.
  explicit TemporaryFile(std::optional<std::int64_t> most_bytes = {},
                         std::size_t (*available)() = available_host_bytes);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;

  void append(std::span<const char> bytes);
  bool in_memory() const { return in_memory_; }
  // Returns the file for reading. `path` names the input that it holds in messages.
  InputFile take(const std::filesystem::path& path);

 private:
  bool fits_in_memory() const;
  void move_to_disk();
  void write_all(std::span<const char> bytes);
  [[noreturn]] void throw_no_room(const std::string& why) const;
  [[noreturn]] void throw_errno(int error) const;

  std::size_t (*available_)();
  std::string folder_;
  int descriptor_ = -1;
  bool in_memory_ = false;
  std::int64_t size_ = 0, most_bytes_ = 0, looked_at_ = 0;  // looked_at_: size when the memory was last queried
};

}  // namespace beatscan
