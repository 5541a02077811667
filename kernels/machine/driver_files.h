// kernels/machine/driver_files.h — closes the files of NVIDIA's driver before the process ends.
#pragma once

#include <filesystem>

namespace beatscan {

// Replaces each file that the process has open and whose path begins with `prefix` by /dev/null. The driver takes some
// 50 ms to release a process (docs/performance.md). This call makes it do so on the calling thread; otherwise it does
// so when the process ends. The numbers of the files stay taken, so that no file that is opened later is mistaken for
// the driver's. CUDA must have ended, and must not be used later. Files that cannot be replaced stay open until the
// process ends.
void release_driver_files(const std::filesystem::path& prefix = "/dev/nvidia") noexcept;

}  // namespace beatscan
