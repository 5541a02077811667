// kernels/machine/cuda_version.h — the version of CUDA that the driver supports, and its files.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Replaces each file that the process has open and whose path begins with `prefix` by /dev/null. The driver takes some
// 50 ms to release a process (docs/performance.md). This call makes it do so on the calling thread; otherwise it does
// so when the process ends. The numbers of the files stay taken, so that no file that is opened later is mistaken for
// the driver's. CUDA must have ended, and must not be used later. Files that cannot be replaced stay open until the
// process ends.
void release_driver_files(const std::filesystem::path& prefix = "/dev/nvidia") noexcept;

std::string cuda_version(int version);  // "13.0"

// Returns the message that a driver which supports CUDA up to the version `driver` cannot run a build that needs the
// version `needed`, and what to install.
std::string driver_too_old(int driver, int needed);

}  // namespace beatscan
