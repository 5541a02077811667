// app/common/pool_log_file.h — every request for device memory, as CSV.
#pragma once

#include <filesystem>
#include <optional>

#include "app/common/partial_file.h"

namespace beatscan {

// Logs the requests from its construction to write(). Does nothing without a path. Columns:
//   time_s
//   action   allocate and free; spill and unspill: to host memory and back; reserve and release: from the driver and
//            back to it
//   bytes, address
class PoolLogFile {
 public:
  // Throws ErrorKind::output if `path` cannot be written.
  PoolLogFile(const std::filesystem::path& path, bool force);
  void write();
  void write_what_there_is() noexcept;  // after an error; an error in writing the log is not reported

 private:
  std::optional<PartialFile> file_;
};

}  // namespace beatscan
