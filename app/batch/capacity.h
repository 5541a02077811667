// app/batch/capacity.h — how many recordings a device has room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/batch/gpus.h"
#include "kernels/runtime/pool.h"

namespace beatscan {

// Returns the bytes that a device has for recordings: three quarters of what the program may have there. No GPU is the
// CPU.
std::int64_t room_on(const std::optional<Gpu>& gpu, const PoolOptions& pool);

// Returns how many recordings a device takes at a time, 1 or more. Where the process may open few files (ulimit -n), it
// takes fewer recordings.
//   needs   bytes of each recording, see memory_needed
//   wanted  of --in-flight; 0 for the program's choice
int recordings_at_a_time(bool on_gpu, std::size_t devices, const std::vector<std::int64_t>& needs, int wanted);

}  // namespace beatscan
