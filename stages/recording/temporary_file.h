// stages/recording/temporary_file.h — a file for what is unpacked, or comes through a pipe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "stages/recording/input_file.h"

namespace beatscan {

// A temporary file that has no name: it is removed when its last descriptor is closed. It lies in $TMPDIR or /tmp.
// Throws ErrorKind::output where it would hold more than `most_bytes`; without them, nine tenths of the free space.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::optional<std::int64_t> most_bytes = {});
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;

  void append(std::span<const char> bytes);
  // Hands the file over for reading. `path` names the input that it holds in messages.
  InputFile take(const std::filesystem::path& path);

 private:
  [[noreturn]] void throw_no_room(const std::string& why) const;
  std::string folder_;
  int descriptor_ = -1;
  std::int64_t size_ = 0, most_bytes_ = 0;
};

}  // namespace beatscan
