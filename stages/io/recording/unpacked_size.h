// stages/io/recording/unpacked_size.h — the size of a packed file when it is unpacked, without unpacking it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace beatscan {

// Returns the bytes that a file holds when it is unpacked, as its first or last bytes specify them. If they do not, as
// in bzip2 or in a stream of several parts, it is an estimate from typical recordings as text. Returns the file's own
// size if it is not packed, and 0 if it cannot be read.
std::int64_t unpacked_size(const std::filesystem::path& path);

}  // namespace beatscan
