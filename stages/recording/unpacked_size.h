// stages/recording/unpacked_size.h — tells how large a packed file is once it is unpacked, without unpacking it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace beatscan {

// Returns the bytes that a file holds when it is unpacked, as its first or last bytes tell them. Where they do not, as
// in bzip2 or in a stream of several parts, it is what recordings as text usually take. Returns the file's own size
// where it is not packed, and 0 where it cannot be read.
std::int64_t unpacked_size(const std::filesystem::path& path);

}  // namespace beatscan
