#include "kernels/machine/cuda_version.h"

namespace beatscan {

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
