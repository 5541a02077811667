// app/cohort/batch_folder.h — the folder of a batch while it is made.
#pragma once

#include <filesystem>
#include <vector>

namespace beatscan {

// Makes the folder, and removes what killed programs left in it, once for all results. Destruction removes an empty
// folder again, together with the folders above it that were made for it.
class BatchFolder {
 public:
  explicit BatchFolder(const std::filesystem::path& folder);  // throws ErrorKind::output
  ~BatchFolder();
  BatchFolder(BatchFolder&&) = delete;

 private:
  std::vector<std::filesystem::path> made_;  // innermost first
};

}  // namespace beatscan
