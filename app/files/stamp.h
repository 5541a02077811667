// app/files/stamp.h — tells, without reading it, that a file is the one that it was.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Returns "INODE:BYTES:CHANGE", with the time, as SECONDS.NANOSECONDS, of the last change of contents, name or owner.
// It is empty where there is no such file, and where the file was changed in the last two seconds: it may be changed
// once more without another time.
std::string stamp_of(const std::filesystem::path& file);

}  // namespace beatscan
