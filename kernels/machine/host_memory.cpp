#include "kernels/machine/host_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace beatscan {
namespace {

std::size_t number_in(const std::filesystem::path& file, std::size_t otherwise) {
  std::size_t number = 0;
  return std::ifstream(file) >> number ? number : otherwise;  // "max" is no number
}

// Returns the bytes of files that the group's cache could give up at once.
std::size_t reclaimable_bytes(const std::filesystem::path& statistics) {
  std::ifstream lines(statistics);
  std::string key;
  for (std::size_t bytes = 0; lines >> key >> bytes;)
    if (key == "inactive_file" || key == "total_inactive_file") return bytes;
  return 0;
}

// Returns how many bytes this process's control group and those above it still allow. Within a container the root of
// the hierarchy is the container's group.
std::size_t available_to_groups() {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const std::filesystem::path mount = "/sys/fs/cgroup";
  std::size_t least = kNone;
  const auto lower = [&](const std::filesystem::path& group, const char* most, const char* current) {
    const std::size_t limit = number_in(group / most, kNone), used = number_in(group / current, 0);
    if (limit == kNone) return;
    const std::size_t kept = used - std::min(used, reclaimable_bytes(group / "memory.stat"));
    least = std::min(least, limit - std::min(limit, kept));
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::filesystem::path path = line.substr(4);; path = path.parent_path()) {
      lower(mount / path, "memory.max", "memory.current");
      if (path.empty()) break;
    }
  }
  lower(mount / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes");  // version 1
  return least;
}

}  // namespace

std::size_t available_host_bytes() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key;
  for (std::size_t kilobytes = 0; meminfo >> key >> kilobytes; meminfo.ignore(64, '\n'))
    if (key == "MemAvailable:") return std::min(kilobytes << 10, available_to_groups());
  return available_to_groups();
}

}  // namespace beatscan
