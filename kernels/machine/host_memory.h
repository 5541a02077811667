// kernels/machine/host_memory.h — the memory that the process may use, on the machine and in its control groups.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

struct ControlGroup {
  std::string folder;  // with the files of the group
  int version;         // 1 or 2, which have other files
};

// Returns the process's group of a controller, such as "memory", and those above it up to the root. A group may not be
// there: within a container the path may be the host's. The root is the container's group then.
//   groups  the contents of /proc/self/cgroup, lines ID:CONTROLLERS:PATH
//   mount   where the hierarchies are mounted: /sys/fs/cgroup
std::vector<ControlGroup> control_groups(std::string_view groups, const std::string& mount,
                                         std::string_view controller);

// Returns the text of a file; empty if it cannot be read.
std::string text_in(const std::string& folder, const char* name);

// Returns the bytes that the machine has available and that the limits of the process's control group, and of those
// above it, still allow (versions 1 and 2). Call this before touching much memory: Linux grants more memory than it
// has, and kills programs that touch it.
std::size_t available_host_bytes();

// Returns the bytes that the control groups still allow; the greatest number if there is no limit. Files that the
// system could drop from its cache at once count as available. The arguments are those of control_groups().
std::size_t available_to_groups(std::string_view groups, const std::string& mount);

}  // namespace beatscan
