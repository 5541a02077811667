// app/files/partial_file.h — a file that appears under its name only when it is whole.
#pragma once

#include <filesystem>
#include <string_view>

#include "app/files/partial_name.h"

namespace beatscan {

// Throws ErrorKind::output where a result must not be written to `path`: a folder, or a file without `force`.
void check_writable(const std::filesystem::path& path, bool force);

// Writes to a hidden name beside the target; commit() puts it on the disk and renames it, so that there is the file
// that was there before or the new one at any moment. Destruction without commit() removes it. Errors are
// ErrorKind::output.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path target);
  ~PartialFile();
  PartialFile(PartialFile&&) = delete;

  void write(std::string_view text);
  void sync();  // to the disk, still under its temporary name
  void commit();

 private:
  std::filesystem::path target_;
  Partial partial_;  // no path: committed
};

}  // namespace beatscan
