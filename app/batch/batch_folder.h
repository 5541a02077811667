// app/batch/batch_folder.h — the output folder of a running batch.
#pragma once

#include <filesystem>
#include <vector>

namespace beatscan {

// Creates the folder, and removes what killed programs left in it, once for all results. The destructor removes an
// empty folder, with the parent folders created for it.
class BatchFolder {
 public:
  explicit BatchFolder(const std::filesystem::path& folder);  // throws ErrorKind::output
  ~BatchFolder();
  BatchFolder(BatchFolder&&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // innermost first
};

}  // namespace beatscan
