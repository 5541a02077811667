// app/batch/capacity.h — the devices of a run, and how many recordings each has room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/batch/gpus.h"
#include "kernels/machine/processor_set.h"

namespace beatscan {

struct PoolOptions;

// Returns the bytes that a device has for recordings: three quarters of what the program may have there. No GPU is the
// CPU.
std::int64_t room_on(const std::optional<Gpu>& gpu, const PoolOptions& pool);

// Returns how many recordings a device takes at a time, 1 or more. Where the process may open few files (ulimit -n), it
// takes fewer recordings.
//   needs   bytes of each recording, see memory_needed
//   wanted  of --in-flight; 0 for the program's choice
int recordings_at_a_time(bool on_gpu, std::size_t devices, const std::vector<std::int64_t>& needs, int wanted);

struct BatchDevice {
  std::optional<Gpu> gpu;  // nothing: the CPU
  int recordings;          // at a time, each on a thread of its own
  ProcessorSet stays_on;   // the processors that the threads stay on; empty: all
};

// Returns the devices for recordings: the GPUs, or the CPU where there are none. The parameters are those of
// recordings_at_a_time.
std::vector<BatchDevice> batch_devices(const std::vector<Gpu>& gpus, const std::vector<std::int64_t>& needs,
                                       int wanted);

}  // namespace beatscan
