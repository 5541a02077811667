// kernels/machine/cuda_version.h — versions of CUDA as text. A version is a number as CUDA gives it: 13000 is 13.0.
#pragma once

#include <string>

namespace beatscan {

std::string cuda_version(int version);  // "13.0"

// Returns the message that a driver which supports CUDA up to the version `driver` cannot run a build that needs the
// version `needed`, and what to install.
std::string driver_too_old(int driver, int needed);

}  // namespace beatscan
