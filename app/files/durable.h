// app/files/durable.h — writing that is on the disk when it is said to be, and errors that name the file and what to
// do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace beatscan {

// ErrorKind::output: "<path>: <what> (<why>); <what to do about it>". `error` is an errno.
[[noreturn]] void fail_output(const std::filesystem::path& path, const std::string& what, int error);

// All of the text. `shown` names the file in errors, as in the next two.
void write_all(int descriptor, std::string_view text, const std::filesystem::path& shown);

// What a file holds, and what names a folder holds: there also after a power cut. A file system that cannot do this for
// folders is left to do it in its own time.
void sync_file(int descriptor, const std::filesystem::path& shown);
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& shown);

// One small file, whole or not at all.
void write_durably(const std::filesystem::path& path, std::string_view text);

}  // namespace beatscan
