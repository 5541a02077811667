// app/files/partial_file.h — a file that appears under its name only when it is whole.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/files/partial_name.h"

namespace beatscan {

// Throws ErrorKind::output if a result must not be written to `path`: it is a folder, or it exists and `force` is not
// set.
void check_writable(const std::filesystem::path& path, bool force);

// Writes to a hidden name beside the target. commit() puts the file on the disk and renames it: at any moment there is
// the earlier file or the new one. Destruction without commit() removes it. Errors are ErrorKind::output.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path target, Leftovers leftovers = Leftovers::clean_up);
  ~PartialFile();
  PartialFile(PartialFile&&) = delete;

  void write(std::string_view text);
  void sync();  // to the disk, still under its temporary name
  void commit();
  // Gives the file its name at once; it gets to the disk in the system's own time.
  void commit_unsynced();

 private:
  std::filesystem::path target_;
  Partial partial_;  // without a path after commit()
};

}  // namespace beatscan
