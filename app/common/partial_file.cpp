#include "app/common/partial_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "app/common/durable.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void check_writable(const std::filesystem::path& path, bool force) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    fail(ErrorKind::output, path.string(), "is a folder; give the name of a file");
  if (!force && std::filesystem::exists(path, ignored))
    fail(ErrorKind::output, path.string(), "exists; choose another name, or --force to replace it");
}

// The hidden name is beside the target, so that the rename stays within one file system.
PartialFile::PartialFile(std::filesystem::path target, TemporaryFilesOf temporary_files)
    : target_(std::move(target)), partial_(new_partial_file(target_, temporary_files)) {}

PartialFile::~PartialFile() {
  if (!partial_.path.empty()) unlink(partial_.path.c_str());
}

void PartialFile::write(std::string_view text) { write_all(partial_.locked.get(), text, target_); }

void PartialFile::sync() { sync_file(partial_.locked.get(), target_); }

void PartialFile::commit() {
  sync();
  commit_unsynced();
  sync_folder(parent_of(target_), target_);
}

void PartialFile::commit_unsynced() {
  if (rename(partial_.path.c_str(), target_.c_str()) != 0) fail_output(target_, "cannot be made", errno);
  partial_.path.clear();
  partial_.locked.reset();  // not earlier: another program removes a partial file that is not locked
}

}  // namespace beatscan
