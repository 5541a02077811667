// kernels/machine/control_groups.h — finds the control groups that limit the process (cgroups(7), version 1 and 2).
#pragma once

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

}  // namespace beatscan
