// kernels/runtime/pool_options.h — options and statistics of the memory pool.
#pragma once

#include <cstdint>

namespace beatscan {

enum class PoolKind {
  device,
  managed,  // pages move between device and host as they are used; the device holds more than it has memory
};

struct PoolOptions {
  PoolKind kind = PoolKind::device;
  std::int64_t limit_bytes = 0;  // device memory for all contexts of a process together; 0 stands for all there is
  bool may_spill = true;         // false if memory is handed over to others, who free it as the device's
};

struct PoolStatistics {
  std::int64_t current_bytes = 0;   // handed out now
  std::int64_t peak_bytes = 0;      // most ever handed out
  std::int64_t reserved_bytes = 0;  // most ever taken from the driver
  std::int64_t requests = 0;        // allocations served
  std::int64_t spilled_bytes = 0;   // most ever put into the host's memory instead
};

}  // namespace beatscan
