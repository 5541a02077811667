// kernels/machine/driver_files.h — lets go of the files of NVIDIA's driver before the process ends.
#pragma once

#include <filesystem>

namespace beatscan {

// Puts /dev/null in the place of each file that the process has open and whose path begins with `prefix`. The driver
// takes some 50 ms to let go of a process (docs/performance.md). After this call it has done so on the calling
// thread; without it, it does so when the process ends. The numbers of the files stay taken, so that no file that is
// opened later is mistaken for the driver's. CUDA must have ended, and must not be used later. What cannot be done is
// left to the end of the process.
void release_driver_files(const std::filesystem::path& prefix = "/dev/nvidia") noexcept;

}  // namespace beatscan
