// app/common/whole_file.h — reads whole files, and describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "kernels/runtime/error.h"

namespace beatscan {

// Returns "INODE:BYTES:CHANGE", where CHANGE is the time, as SECONDS.NANOSECONDS, of the last change of contents, name
// or owner. The stamp is empty if the file does not exist. It is also empty if the file was changed in the last two
// seconds, because another change might get the same time.
std::string stamp_of(const std::filesystem::path& file);

// Resolves each folder once, because there may be a hundred thousand files in it.
class RealFolders {
 public:
  // Returns the folder's path without links; the path itself if unknown. An empty path is the current folder.
  const std::filesystem::path& of(const std::filesystem::path& folder) {
    const auto [known, is_new] = known_.try_emplace(folder.native());
    if (is_new) {
      std::error_code unknown;
      known->second = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, unknown);
      if (unknown) known->second = folder;
    }
    return known->second;
  }

 private:
  std::unordered_map<std::string, std::filesystem::path> known_;
};

struct WholeFileRules {
  std::int64_t most_bytes = 1 << 30;  // for truths, models, checkpoints and the files of a result
  ErrorKind kind = ErrorKind::input;  // the kind of all errors
  const char* advice = "check the name and its permissions";
};

inline constexpr WholeFileRules kConfigFile = {
    .most_bytes = 1 << 20,
    .kind = ErrorKind::usage,
    .advice = "give a file, or one of the names default and published (also called seed)"};

// Reads a file or a pipe to its end. Throws Error if it cannot be read, is a folder or a device, or, as soon as that is
// known, has too many bytes. A signal (stages/common/interrupt.h) ends the wait for a pipe.
std::string read_whole_file(const std::filesystem::path& path, const WholeFileRules& rules = {});

}  // namespace beatscan
