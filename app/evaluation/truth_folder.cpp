#include "app/evaluation/truth_folder.h"

#include <utility>

#include "kernels/runtime/error.h"

namespace beatscan {

TruthFolder::TruthFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error))
    names_.insert(entry->path().filename().string());
  if (error)
    fail(ErrorKind::input, folder_.string(), "cannot be listed (" + error.message() + "); check its permissions");
}

std::optional<std::filesystem::path> TruthFolder::truth_of(const std::string& name,
                                                           const std::filesystem::path& recording) const {
  for (const char* ending : {".atr", ".truth.csv", ".csv"}) {
    const std::filesystem::path path = folder_ / (name + ending);
    std::error_code unknown;
    if (names_.contains(name + ending) && (recording.empty() || !std::filesystem::equivalent(path, recording, unknown)))
      return path;
  }
  return std::nullopt;
}

}  // namespace beatscan
