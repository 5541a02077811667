// app/common/partial_file.h — a file with atomic output: it gets its name only when it is complete.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/common/partial_name.h"

namespace beatscan {

// Throws ErrorKind::output if a result must not be written to `path`: it is a folder, or it exists and `force` is not
// set.
void check_writable(const std::filesystem::path& path, bool force);

// Writes to a hidden name beside the target. commit() syncs the file and renames it: at any moment either the earlier
// file or the new one exists. Destruction without commit() removes it. Errors are ErrorKind::output.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path target, TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);
  ~PartialFile();
  PartialFile(PartialFile&&) = delete;

  void write(std::string_view text);
  void sync();  // to the disk, still under its temporary name
  void commit();
  // Renames the file at once; the system writes it to the disk in its own time.
  void commit_unsynced();

 private:
  std::filesystem::path target_;
  Partial partial_;  // empty path after commit()
};

}  // namespace beatscan
