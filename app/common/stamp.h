// app/common/stamp.h — detects, without reading a file, whether it has changed.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Returns "INODE:BYTES:CHANGE", where CHANGE is the time, as SECONDS.NANOSECONDS, of the last change of contents, name
// or owner. The stamp is empty if the file does not exist. It is also empty if the file was changed in the last two
// seconds, because another change might get the same time.
std::string stamp_of(const std::filesystem::path& file);

}  // namespace beatscan
