// app/bounded_file.h — files that are read whole: how many bytes of them, at most, and none that may have no end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>

#include "kernels/check.h"

namespace beatscan {

inline constexpr std::int64_t kMostConfigBytes = 1 << 20;
inline constexpr std::int64_t kMostFileBytes = 1 << 30;  // of truths, models, checkpoints and files of a result

// An Error of this status where the path is a character or a block device, as /dev/zero.
void refuse_device(const std::filesystem::path& path, Status status);

// What is left of a file, pipes too. An Error of this status as soon as it is found to be more than most_bytes; where
// it cannot be read, what came before, and file.bad().
std::string read_bounded(std::istream& file, const std::filesystem::path& path, std::int64_t most_bytes, Status status);

}  // namespace beatscan
