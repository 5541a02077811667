#include "app/batch/batch_folder.h"

#include <system_error>

#include "app/common/partial_file.h"

namespace beatscan {

namespace fs = std::filesystem;

BatchFolder::BatchFolder(const fs::path& folder) {
  std::error_code error;
  fs::path missing = folder.has_filename() ? folder : folder.parent_path();
  for (; !fs::exists(missing, error) && !error; missing = parent_of(missing)) made_.push_back(missing);
  if (!error) fs::create_directories(folder, error);
  if (error) fail_output(folder, "cannot be made", error.value());
  clean_up_folder_after_killed(folder);
}

BatchFolder::~BatchFolder() {
  std::error_code ignored;
  for (const auto& folder : made_) fs::remove(folder, ignored);  // only if it is empty
}

}  // namespace beatscan
