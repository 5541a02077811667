#include "app/output/earlier_result.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "app/common/json_text.h"
#include "app/common/whole_file.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Contains the file names that write_result() and write_report_data() use.
bool is_name_of_a_result(const fs::path& name) {
  constexpr std::array kFiles = {"abnormal.csv",  "beats.csv",     "beats.parquet",     "config.json",
                                 "episodes.csv",  "generated.csv", "model.safetensors", "quality.csv",
                                 "report.html",   "summary.json",  "templates.csv",     "waves.csv",
                                 "waves.parquet", "features.npy",  "features.json"};
  constexpr std::array kEndings = {".vae", ".waves"};
  const std::string text = name.string(), ending = name.extension().string();
  if (name.has_parent_path())
    return (name.parent_path() == "arrays" || name.parent_path() == "report") && name.extension() == ".npy";
  return std::ranges::find(kFiles, text) != kFiles.end() || text.ends_with("_mqc.json") ||
         std::ranges::find(kEndings, ending) != kEndings.end();
}

bool is_of_this_program(const fs::path& summary) {
  try {
    return parse_json<nlohmann::json>(read_whole_file(summary))
        .contains(nlohmann::json::json_pointer("/versions/beatscan"));
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::string why_no_result(const fs::path& folder) {
  std::error_code error;
  const fs::path summary = folder / "summary.json";
  if (!fs::exists(summary, error)) return "it has no summary.json";
  if (!is_of_this_program(summary)) return "its summary.json is not from beatscan";
  for (auto entry = fs::recursive_directory_iterator(folder, error); entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    const fs::path name = entry->path().lexically_relative(folder);
    const bool is_folder = entry->is_directory(error) && !entry->is_symlink(error);
    if (is_folder ? name != "arrays" && name != "report" : !is_name_of_a_result(name))
      return "it holds " + name.string();
  }
  return error ? "it cannot be read: " + error.message() : "";
}

}  // namespace beatscan
