// app/common/real_folders.h — the real paths of folders, with links resolved.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>

namespace beatscan {

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

}  // namespace beatscan
