// app/files/pool_log_file.h — every request for device memory, as CSV.
#pragma once

#include <filesystem>
#include <optional>

#include "app/files/partial_file.h"

namespace beatscan {

// From its construction to write(); nothing without a path. Columns: time_s, action (allocate, free; spill, unspill:
// into the host's memory and back; reserve, release: from and to the driver), bytes, address.
class PoolLogFile {
 public:
  // Throws ErrorKind::output where there is no writing to `path`.
  PoolLogFile(const std::filesystem::path& path, bool force);
  void write();
  void write_what_there_is() noexcept;  // behind an error, which is to be told and no other

 private:
  std::optional<PartialFile> file_;
};

}  // namespace beatscan
