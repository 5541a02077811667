#include "app/output/output_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "app/common/json_text.h"
#include "app/common/partial_file.h"
#include "app/common/whole_file.h"
#include "kernels/runtime/error.h"

namespace beatscan {

namespace fs = std::filesystem;

namespace {

// Returns why `folder` is not an earlier result of this program and nothing else, as a part of a message: it may lack
// the program's summary.json, or hold other files, such as notes or the recording itself. An empty text means that the
// folder may be replaced.
std::string why_no_result(const std::filesystem::path& folder);

bool is_folder_of_a_result(const fs::path& name) {
  return name == "arrays" || name == "report" || name == kRevisedFolder || name == fs::path(kRevisedFolder) / "report";
}

// Contains the file names that write_result(), write_report_data() and revise() use.
bool is_name_of_a_result(const fs::path& name) {
  if (*name.begin() == kRevisedFolder) return is_name_of_a_result(name.lexically_relative(kRevisedFolder));
  constexpr std::array kFiles = {
      "abnormal.csv",  "beats.csv",         "beats.parquet", "config.json",   "corrections.json", "episodes.csv",
      "generated.csv", "model.safetensors", "quality.csv",   "report.html",   "summary.json",     "templates.csv",
      "waves.csv",     "waves.parquet",     "features.npy",  "features.json", "hrv.csv",          "nn.csv"};
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

std::string why_no_result(const fs::path& folder) {
  std::error_code error;
  const fs::path summary = folder / "summary.json";
  if (!fs::exists(summary, error)) return "it has no summary.json";
  if (!is_of_this_program(summary)) return "its summary.json is not from beatscan";
  for (auto entry = fs::recursive_directory_iterator(folder, error); entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    const fs::path name = entry->path().lexically_relative(folder);
    if (name.begin()->string().starts_with(std::string(".") + kRevisedFolder + ".partial-"))
      continue;  // of a killed one
    const bool is_folder = entry->is_directory(error) && !entry->is_symlink(error);
    if (is_folder ? !is_folder_of_a_result(name) : !is_name_of_a_result(name)) return "it holds " + name.string();
  }
  return error ? "it cannot be read: " + error.message() : "";
}

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  fail(ErrorKind::output, path.string(), what);
}

// Returns the folder to replace: for a link, its target.
fs::path target_of(fs::path target) {
  if (!target.has_filename()) target = target.parent_path();  // a slash at the end
  std::error_code error;
  if (!fs::is_symlink(target, error)) return target;
  const fs::path named = fs::canonical(target, error);
  return error ? target : named;
}

// Returns whether a file system is mounted there: such a folder cannot be renamed.
bool is_mount_point(const fs::path& folder) {
  struct statx info = {};
  return statx(AT_FDCWD, folder.c_str(), 0, STATX_TYPE, &info) == 0 &&
         (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) && (info.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

// Throws if no folder can be created there: its parent is not a folder, or is not writable.
void check_place(const fs::path& target) {
  fs::path above = parent_of(target);
  std::error_code unknown;  // a folder without search permission: access() detects it
  // A dangling link also counts as existing.
  const auto is_there = [&] { return fs::exists(fs::symlink_status(above, unknown)); };
  while (!is_there() && above != parent_of(above)) above = parent_of(above);
  if (!fs::is_directory(above, unknown)) fail_output(target, "cannot be made", ENOTDIR);
  if (access(above.c_str(), W_OK | X_OK) != 0) fail_output(target, "cannot be made", errno);
}

bool cannot_exchange(int error) { return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP; }

}  // namespace

void check_output_folder(const fs::path& folder, bool force) {
  const fs::path target = target_of(folder);
  if (target.empty()) refuse("--out", "is empty; name a separate folder for the results");
  if (target.filename() == "." || target.filename() == "..") refuse(folder, "name a separate folder for the results");
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return check_place(target);
  if (!fs::is_directory(target, error)) refuse(target, "exists and is not a folder; give another --out");
  if (is_mount_point(target)) refuse(target, "is a mount point, which is not replaced; give a folder in it as --out");
  if (fs::is_empty(target, error)) return check_place(target);
  if (const std::string why = why_no_result(target); !why.empty())
    refuse(target,
           "exists and is not an earlier result (" + why + "), which --force does not replace; give another --out");
  if (!force) refuse(target, "exists; give --force to replace it, or another --out");
  check_place(target);
}

OutputFolder::OutputFolder(fs::path folder, bool force, TemporaryFilesOf temporary_files)
    : target_(target_of(std::move(folder))), force_(force) {
  if (temporary_files == TemporaryFilesOf::clean_up) clean_up_after_killed(target_);
  check_output_folder(target_, force);
  try {
    make_parents();
    partial_ = new_partial_folder(target_, TemporaryFilesOf::are_cleaned_up);
  } catch (...) {
    remove_partial();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  if (!partial_.path.empty()) remove_partial();
}

void OutputFolder::make_parents() {
  std::error_code error;
  for (fs::path parent = parent_of(target_); !fs::exists(parent, error); parent = parent_of(parent)) {
    if (error) fail_output(target_, "cannot be made", error.value());  // a folder without search permission
    made_parents_.push_back(parent);
  }
  fs::create_directories(parent_of(target_), error);
  if (error) fail_output(target_, "cannot be made", error.value());
}

void OutputFolder::remove_partial() {
  std::error_code ignored;
  if (!partial_.path.empty()) remove_partial_folder(partial_.path, written_);
  for (const auto& parent : made_parents_) fs::remove(parent, ignored);  // only if it is empty
}

void OutputFolder::write(const fs::path& name, std::string_view content) { write_parts(name, {&content, 1}); }

void OutputFolder::write_parts(const fs::path& name, std::span<const std::string_view> parts) {
  write_by(name, [&](const Append& append) { std::ranges::for_each(parts, append); });
}

void OutputFolder::write_by(const fs::path& name, const std::function<void(const Append&)>& write) {
  const fs::path path = partial_.path / name, shown = target_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail_output(shown, "cannot be made", error.value());
  {
    const std::lock_guard lock(mutex_);
    written_.insert(name);
  }
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) fail_output(shown, "cannot be made", errno);
  write([&](std::string_view part) { write_all(file.get(), part, shown); });
  sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);               // begins; commit() waits for it
  if (file.reset() != 0) fail_output(shown, "cannot be written", errno);  // some file systems report errors only here
}

void OutputFolder::sync_all() const {
  std::set<fs::path> folders = {partial_.path};
  for (const auto& name : written_) {
    const fs::path path = partial_.path / name, shown = target_ / name;
    for (fs::path folder = name.parent_path(); !folder.empty(); folder = folder.parent_path())
      folders.insert(partial_.path / folder);
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) fail_output(shown, "cannot be written", errno);
    sync_file(file.get(), shown);
  }
  for (const auto& folder : folders) sync_folder(folder, target_);
}

// Moves the folder to the target's place; returns the earlier result, if there was one. If two names cannot be
// exchanged, for a moment neither result has its name: if this program is killed then, the next one restores the
// earlier result (clean_up_after_killed).
Partial OutputFolder::put_in_place() {
  if (rename(partial_.path.c_str(), target_.c_str()) == 0) return {};  // nothing there, or an empty folder
  if (errno != ENOTEMPTY && errno != EEXIST) fail_output(target_, "cannot be made", errno);
  check_output_folder(target_, force_);  // another run may have written its result meanwhile
  if (renameat2(AT_FDCWD, partial_.path.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0)
    return {std::exchange(partial_.path, {}), {}};
  if (!cannot_exchange(errno)) fail_output(target_, "cannot be replaced", errno);
  Partial earlier = previous_of(target_);
  if (rename(target_.c_str(), earlier.path.c_str()) != 0) fail_output(target_, "cannot be replaced", errno);
  if (rename(partial_.path.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    rename(earlier.path.c_str(), target_.c_str());
    fail_output(target_, "cannot be made", error);
  }
  return earlier;
}

void OutputFolder::commit() {
  const fs::path parent = parent_of(target_);  // before the result is in place, because memory may run out
  check_output_folder(target_, force_);
  sync_all();
  const Partial earlier = put_in_place();
  partial_ = {};
  sync_folder(parent, target_);
  std::error_code ignored;
  if (!earlier.path.empty()) fs::remove_all(earlier.path, ignored);
}

}  // namespace beatscan
