// kernels/runtime/host_memory.h — tells how much of the host's memory the process can still use.
#pragma once

#include <cstddef>

namespace beatscan {

// Returns the bytes that the machine has available and that the limits of the process's control group, and of those
// above it, still allow (versions 1 and 2). Whoever is about to touch much memory has to ask first: when memory that a
// program was given runs out as it is touched, the kernel kills programs.
std::size_t available_host_bytes();

}  // namespace beatscan
