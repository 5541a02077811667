#include "app/batch/expand.h"

#include <glob.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

bool has_wildcard(const fs::path& input) { return input.string().find_first_of("*?[") != std::string::npos; }

bool is_pattern(const fs::path& input) {
  std::error_code unknown;
  return has_wildcard(input) && !fs::exists(input, unknown);
}

// Returns whether a name may be that of a folder: a name with an extension such as .csv is not checked, which avoids
// accessing each of a hundred thousand files.
bool may_be_folder(const fs::path& input) {
  constexpr std::array kFiles = {".csv", ".tsv", ".txt", ".hea", ".edf", ".bdf",     ".ecg",     ".npy",
                                 ".mat", ".gz",  ".zst", ".xz",  ".bz2", ".parquet", ".feather", ".arrow"};
  return std::ranges::find(kFiles, input.extension()) == kFiles.end();
}

bool is_folder(const fs::path& input) {
  std::error_code unknown;
  return may_be_folder(input) && input != "-" && fs::is_directory(input, unknown);
}

// Returns the name of a file without its compression extension.
fs::path unpacked_name(const fs::path& path) {
  constexpr std::array kPacked = {".gz", ".zst", ".xz", ".bz2"};
  const fs::path name = path.filename();
  return std::ranges::find(kPacked, name.extension()) == kPacked.end() ? name : name.stem();
}

std::vector<fs::path> matches_of(const fs::path& pattern) {
  glob_t found = {};
  const int status = glob(pattern.c_str(), GLOB_ERR, nullptr, &found);
  std::vector<fs::path> paths(found.gl_pathv, found.gl_pathv + (status == 0 ? found.gl_pathc : 0));
  globfree(&found);
  // A pattern such as *.csv also matches reference annotations beside the recordings. They are dropped unless only they
  // match.
  if (!std::ranges::all_of(paths, is_reference)) std::erase_if(paths, is_reference);
  if (status == GLOB_NOMATCH) fail(ErrorKind::input, pattern.string(), "no file matches; check the pattern");
  if (status != 0) fail(ErrorKind::input, pattern.string(), "cannot be searched; check folders and permissions");
  return paths;
}

// Returns whether a file is a recording, by its name. A .mat with a header of the same name is the signal file of that
// WFDB record.
bool is_recording(const fs::path& path) {
  constexpr std::array kEndings = {".csv", ".tsv", ".hea",     ".edf",     ".bdf",  ".ecg",
                                   ".npy", ".mat", ".parquet", ".feather", ".arrow"};
  const fs::path name = unpacked_name(path);
  if (name.string().starts_with('.')) return false;
  std::error_code unknown;
  if (name.extension() == ".mat" && fs::exists(fs::path(path).replace_extension(".hea"), unknown)) return false;
  return std::ranges::find(kEndings, name.extension()) != kEndings.end() && !is_reference(path);
}

// Adds the headers of a record's segments to `segments`. The first line of a header is "NAME/SEGMENTS ..." if the
// record has any, and each line after it begins with the name of a segment.
void add_segments(const fs::path& header, std::set<fs::path>& segments) {
  std::ifstream file(header);
  bool announced = false;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string word = line.substr(0, line.find_first_of(" \t\r"));
    if (announced) segments.insert(header.parent_path() / (word + ".hea"));
    if (!announced && word.find('/') == word.npos) return;
    announced = true;
  }
}

// Returns the records that a PhysioNet database lists in its file RECORDS; none if it has no such file.
std::vector<fs::path> records_of(const fs::path& folder) {
  std::vector<fs::path> records;
  std::ifstream file(folder / "RECORDS");
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty() && line.back() != '/') records.push_back(folder / line);
  }
  return records;
}

std::vector<fs::path> recordings_in(const fs::path& folder) {
  std::vector<fs::path> paths = records_of(folder);
  if (!paths.empty()) return paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_recording(entry->path())) paths.push_back(entry->path());
  if (error)
    fail(ErrorKind::input, folder.string(), "cannot be listed (" + error.message() + "); check its permissions");
  std::set<fs::path> segments;
  for (const auto& path : paths)
    if (path.extension() == ".hea") add_segments(path, segments);
  std::erase_if(paths, [&](const fs::path& path) { return segments.contains(path); });
  if (paths.empty())
    fail(ErrorKind::input, folder.string(),
         "is a folder without recordings (.csv, .tsv, .hea, .edf, .bdf, .ecg, .npy, .mat, .parquet, .feather, .arrow); "
         "give another folder, or a "
         "pattern");
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

bool is_reference(const fs::path& path) { return unpacked_name(path).stem().extension() == ".truth"; }

std::vector<fs::path> expanded(const fs::path& input) {
  if (is_pattern(input)) return matches_of(input);
  if (is_folder(input)) return recordings_in(input);
  return {input};
}

}  // namespace beatscan
