// app/files/durable.h — writes files that are on the disk when the call returns. One function writes files that need
// not be. Errors name the file and what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/files/partial_name.h"

namespace beatscan {

// Throws ErrorKind::output: "<path>: <what> (<why>); <what to do about it>". `error` is an errno.
[[noreturn]] void fail_output(const std::filesystem::path& path, const std::string& what, int error);

// Writes all of the text. `shown` names the file in errors.
void write_all(int descriptor, std::string_view text, const std::filesystem::path& shown);

// Put the contents of a file, or the names in a folder, on the disk: they are there also after a power cut. A file
// system that cannot do this for folders does it in its own time. `shown` names the file or folder in errors.
void sync_file(int descriptor, const std::filesystem::path& shown);
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& shown);

// Writes one small file that is cheap to make again, whole or not at all. After a power cut it may be missing or empty.
void write_unsynced(const std::filesystem::path& path, std::string_view text,
                    Leftovers leftovers = Leftovers::clean_up);

// Writes one small file, whole or not at all.
void write_durably(const std::filesystem::path& path, std::string_view text, Leftovers leftovers = Leftovers::clean_up);

}  // namespace beatscan
