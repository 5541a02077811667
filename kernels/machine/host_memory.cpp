#include "kernels/machine/host_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace beatscan {

namespace {

// Paths are put together as text because GCC 12's path / path may crash when memory runs out.
void add_up_to_root(std::vector<ControlGroup>& groups, const std::string& hierarchy, std::string path, int version) {
  for (; path.size() > 1; path.erase(path.rfind('/'))) groups.push_back({hierarchy + path, version});
  groups.push_back({hierarchy, version});
}

bool lists(const std::string& controllers, std::string_view controller) {
  return ("," + controllers + ",").find("," + std::string(controller) + ",") != std::string::npos;
}

}  // namespace

std::vector<ControlGroup> control_groups(std::string_view groups, const std::string& mount,
                                         std::string_view controller) {
  std::vector<ControlGroup> found;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    if (controllers.empty())
      add_up_to_root(found, mount, path, 2);
    else if (lists(controllers, controller))
      add_up_to_root(found, mount + "/" + std::string(controller), path, 1);
  }
  return found;
}

std::string text_in(const std::string& folder, const char* name) {
  std::ostringstream text;
  text << std::ifstream(folder + "/" + name).rdbuf();
  return text.str();
}

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
