#include "kernels/machine/host_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "kernels/machine/control_groups.h"

namespace beatscan {
namespace {

// The files of a group, by version.
struct Names {
  const char *most, *used, *reclaimable;
};
constexpr Names kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Names kVersion2{"memory.max", "memory.current", "inactive_file"};

std::optional<std::size_t> number_in(const std::string& folder, const char* file) {
  std::size_t number = 0;
  std::istringstream text(text_in(folder, file));
  return text >> number ? std::optional(number) : std::nullopt;  // "max" is no number
}

std::size_t number_of_key(const std::string& text, const char* wanted) {
  std::istringstream lines(text);
  std::string key;
  for (std::size_t number = 0; lines >> key >> number;)
    if (key == wanted) return number;
  return 0;
}

}  // namespace

std::size_t available_to_groups(std::string_view groups, const std::string& mount) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto& [folder, version] : control_groups(groups, mount, "memory")) {
    const Names& names = version == 1 ? kVersion1 : kVersion2;
    const auto limit = number_in(folder, names.most);
    if (!limit) continue;
    const std::size_t used = number_in(folder, names.used).value_or(0);
    const std::size_t kept = used - std::min(used, number_of_key(text_in(folder, "memory.stat"), names.reclaimable));
    least = std::min(least, *limit - std::min(*limit, kept));
  }
  return least;
}

std::size_t available_host_bytes() {
  const std::size_t in_groups = available_to_groups(text_in("/proc/self", "cgroup"), "/sys/fs/cgroup");
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  for (std::size_t kilobytes = 0; meminfo >> key >> kilobytes; meminfo.ignore(64, '\n'))
    if (key == "MemAvailable:") return std::min(kilobytes << 10, in_groups);
  return in_groups;
}

}  // namespace beatscan
