// app/common/durable.h — writes files that are on the disk when the call returns; one function omits the sync. Errors
// name the file and a remedy.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/common/partial_name.h"

namespace beatscan {

// Throws ErrorKind::output: "<path>: <what> (<why>); <remedy>". `error` is an errno.
[[noreturn]] void fail_output(const std::filesystem::path& path, const std::string& what, int error);

// Writes all of the text. `shown` names the file in errors.
void write_all(int descriptor, std::string_view text, const std::filesystem::path& shown);

// Sync the contents of a file, or the names in a folder, to the disk, so that they survive a power failure. A file
// system that cannot sync folders does so in its own time. `shown` names the file or folder in errors.
void sync_file(int descriptor, const std::filesystem::path& shown);
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& shown);

// Writes one small file atomically, without a sync. After a power failure it may be missing or empty, so it must be
// cheap to write again.
void write_unsynced(const std::filesystem::path& path, std::string_view text,
                    TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);

// Writes one small file atomically.
void write_durably(const std::filesystem::path& path, std::string_view text,
                   TemporaryFilesOf temporary_files = TemporaryFilesOf::clean_up);

}  // namespace beatscan
