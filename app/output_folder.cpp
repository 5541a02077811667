#include "app/output_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

#include "app/partial_file.h"
#include "kernels/check.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(Status::output, path.string() + ": " + what);
}

void sync_folder(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a file system that cannot: the rename is still atomic
  fsync(descriptor);
  close(descriptor);
}

fs::path parent_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

fs::path without_trailing_slash(fs::path target) { return target.has_filename() ? target : target.parent_path(); }

fs::path beside(const fs::path& target, const char* purpose) {
  return parent_of(target) / ("." + target.filename().string() + "." + purpose + "-" + std::to_string(getpid()));
}

}  // namespace

void check_output_folder(const fs::path& folder, bool force) {
  const fs::path target = without_trailing_slash(folder);
  if (target.empty() || target.filename() == "." || target.filename() == "..")
    fail(folder, "name a folder of its own for the results");
  std::error_code error;
  if (!fs::exists(fs::symlink_status(target, error))) return;
  if (!fs::is_directory(target, error)) fail(target, "exists and is not a folder; give another --out");
  if (fs::is_empty(target, error)) return;
  if (!force) fail(target, "exists; give --force to replace it, or another --out");
  if (!fs::exists(target / "summary.json", error))
    fail(target,
         "is not an earlier result (it has no summary.json), so --force does not replace it; give another --out");
}

OutputFolder::OutputFolder(fs::path folder, bool force)
    : target_(without_trailing_slash(std::move(folder))), force_(force) {
  check_output_folder(target_, force);
  partial_ = beside(target_, "partial");
  std::error_code error;
  for (fs::path parent = parent_of(target_); !fs::exists(parent, error); parent = parent_of(parent))
    made_parents_.push_back(parent);
  fs::remove_all(partial_, error);  // of a program that was killed and had the same process id
  fs::create_directories(partial_, error);
  if (error) {
    remove_partial();
    fail(target_, "cannot be made: " + error.message());
  }
}

OutputFolder::~OutputFolder() {
  if (!partial_.empty()) remove_partial();
}

void OutputFolder::remove_partial() {
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
  for (const auto& parent : made_parents_) fs::remove(parent, ignored);  // only while it is empty
}

void OutputFolder::write(const fs::path& name, std::string_view content) {
  const fs::path path = partial_ / name;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail(target_ / name, "cannot be made: " + error.message());
  PartialFile file(path);
  file.write(content);
  file.commit();
}

void OutputFolder::commit() {
  check_output_folder(target_, force_);  // another run may have put its result there meanwhile
  std::error_code error;
  sync_folder(partial_);
  const fs::path previous = beside(target_, "previous");
  const bool replaces = fs::exists(target_, error);
  if (replaces) fs::rename(target_, previous, error);
  if (error) fail(target_, "cannot be replaced: " + error.message());
  fs::rename(partial_, target_, error);
  if (error) {
    std::error_code ignored;
    if (replaces) fs::rename(previous, target_, ignored);
    fail(target_, "cannot be made: " + error.message());
  }
  partial_.clear();
  sync_folder(parent_of(target_));
  if (replaces) fs::remove_all(previous, error);
}

}  // namespace beatscan
