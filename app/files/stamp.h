// app/files/stamp.h — tells, without reading a file, whether it has changed.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Returns "INODE:BYTES:CHANGE", with the time, as SECONDS.NANOSECONDS, of the last change of contents, name or owner.
// The stamp is empty where there is no such file. It is also empty where the file was changed in the last two seconds,
// because another change might have the same time.
std::string stamp_of(const std::filesystem::path& file);

}  // namespace beatscan
