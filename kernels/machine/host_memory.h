// kernels/machine/host_memory.h — how much of the host's memory the process can still use.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace beatscan {

// Returns the bytes that the machine has available and that the limits of the process's control group, and of those
// above it, still allow (versions 1 and 2). Call this before touching much memory: Linux grants more memory than it
// has, and kills programs that touch it.
std::size_t available_host_bytes();

// Returns the bytes that the control groups still allow; the greatest number if there is no limit. Files that the
// system could drop from its cache at once count as available. The arguments are those of control_groups().
std::size_t available_to_groups(std::string_view groups, const std::string& mount);

}  // namespace beatscan
