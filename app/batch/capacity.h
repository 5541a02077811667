// app/batch/capacity.h — the devices of a run, and how many recordings fit on each at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/batch/gpus.h"
#include "kernels/machine/processor_set.h"

namespace beatscan {

struct PoolOptions;

// Returns the bytes that a device has for recordings: three quarters of the memory available to the program. Without a
// GPU, the device is the CPU.
std::int64_t room_on(const std::optional<Gpu>& gpu, const PoolOptions& pool);

// Returns how many recordings a device processes at a time, 1 or more. A low limit on open files (ulimit -n) reduces
// the number.
//   needs   bytes of each recording, see memory_needed
//   wanted  value of --in-flight; 0: chosen by the program
int recordings_at_a_time(bool on_gpu, std::size_t devices, const std::vector<std::int64_t>& needs, int wanted);

struct BatchDevice {
  std::optional<Gpu> gpu;  // nullopt: the CPU
  int recordings;          // at a time, each on its own thread
  ProcessorSet stays_on;   // processors that the threads are bound to; empty: all
};

// Returns the devices for recordings: the GPUs, or the CPU if there is none. The parameters are those of
// recordings_at_a_time.
std::vector<BatchDevice> batch_devices(const std::vector<Gpu>& gpus, const std::vector<std::int64_t>& needs,
                                       int wanted);

}  // namespace beatscan
