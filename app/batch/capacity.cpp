#include "app/batch/capacity.h"

#include <sys/resource.h>

#include <algorithm>

#include "app/batch/near_gpu.h"
#include "kernels/machine/host_memory.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/pool_options.h"
#include "stages/io/edf/edf_handle.h"

namespace beatscan {
namespace {

// Returns how many recordings each device may process within the limit on open files (ulimit -n). A recording has up to
// six files open, and several threads share the copies of EDF files.
int most_by_descriptors(std::size_t devices) {
  constexpr rlim_t kOfARecording = 6, kMost = 1 << 16;
  const rlim_t besides = 12 + static_cast<rlim_t>(most_edf_copies());
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const rlim_t left = std::min(limit.rlim_cur, kMost) - std::min(limit.rlim_cur, besides);
  return std::max(1, static_cast<int>(left / kOfARecording / devices));
}

}  // namespace

std::int64_t room_on([[maybe_unused]] const std::optional<Gpu>& gpu, [[maybe_unused]] const PoolOptions& pool) {
  std::int64_t bytes = static_cast<std::int64_t>(available_host_bytes());
#ifdef BEATSCAN_WITH_CUDA
  if (gpu) bytes = pool.limit_bytes > 0 ? pool.limit_bytes : device_memory_bytes(gpu->device);
#endif
  return bytes / 4 * 3;
}

int recordings_at_a_time(bool on_gpu, std::size_t devices, const std::vector<std::int64_t>& needs, int wanted) {
  constexpr int kMostOnAGpu = 32;
  constexpr std::size_t kFewDevices = 2;
  // A thread waits for the GPU and for files. On up to two GPUs, small recordings are therefore faster with more
  // threads than processors. With more GPUs, or large recordings, the threads disturb each other: docs/performance.md.
  constexpr std::int64_t kLarge = 512 << 20;
  const bool small = std::ranges::all_of(needs, [](std::int64_t bytes) { return bytes < kLarge; });
  const int threads = std::max(1, process_threads() / static_cast<int>(devices));
  const int chosen =
      on_gpu ? std::min(small && devices <= kFewDevices ? threads * 5 / 4 : threads, kMostOnAGpu) : threads;
  const std::size_t share = (needs.size() + devices - 1) / devices;
  return static_cast<int>(
      std::min<std::size_t>(std::min(wanted > 0 ? wanted : chosen, most_by_descriptors(devices)), share));
}

std::vector<BatchDevice> batch_devices(const std::vector<Gpu>& gpus, const std::vector<std::int64_t>& needs,
                                       int wanted) {
  if (gpus.empty()) return {{std::nullopt, recordings_at_a_time(false, 1, needs, wanted), {}}};
  const int recordings = recordings_at_a_time(true, gpus.size(), needs, wanted);
  const auto near = processors_to_stay_on(gpus);
  std::vector<BatchDevice> devices;
  for (std::size_t i = 0; i < gpus.size(); ++i) devices.push_back({gpus[i], recordings, near[i]});
  return devices;
}

}  // namespace beatscan
