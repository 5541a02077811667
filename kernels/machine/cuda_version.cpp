#include "kernels/machine/cuda_version.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

namespace beatscan {

namespace {

namespace fs = std::filesystem;

std::vector<int> numbers_of_files(const std::string& prefix) {
  std::vector<int> numbers;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    if (fs::read_symlink(entry.path(), closed_meanwhile).string().starts_with(prefix))
      numbers.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return numbers;
}

}  // namespace

void release_driver_files(const fs::path& prefix) noexcept try {
  const std::vector<int> numbers = numbers_of_files(prefix.string());
  const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (none < 0) return;
  for (const int number : numbers) dup3(none, number, O_CLOEXEC);
  close(none);
} catch (const std::exception&) {  // no memory, or no /proc
}

std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// A driver runs programs of all versions of CUDA with its own major number: NVIDIA's minor version compatibility.
std::string driver_too_old(int driver, int needed) {
  const int major = needed / 1000;
  const std::string branch = major == 13 ? ", which is 580 or later" : "";
  return "the NVIDIA driver supports CUDA up to " + cuda_version(driver) + "; install one for CUDA " +
         cuda_version(1000 * major) + branch;
}

}  // namespace beatscan
