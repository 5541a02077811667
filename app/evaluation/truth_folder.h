// app/evaluation/truth_folder.h — a folder of reference annotations, one file a recording.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace beatscan {

// The names in a folder. The folder is listed once, however many recordings there are.
class TruthFolder {
 public:
  // Throws ErrorKind::input where the folder cannot be listed.
  explicit TruthFolder(std::filesystem::path folder);

  // Returns the first that exists of NAME.atr, NAME.truth.csv and NAME.csv. `recording` is the recording itself, which
  // is not taken for its annotations if both lie in one folder.
  std::optional<std::filesystem::path> truth_of(const std::string& name,
                                                const std::filesystem::path& recording = {}) const;

  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::set<std::string> names_;
};

}  // namespace beatscan
