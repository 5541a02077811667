#include "kernels/runtime/host_threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace beatscan {
namespace {

namespace fs = std::filesystem;

std::atomic<int> chosen = 0;

// Names are put together as text: GCC 12's path / path may crash where there is no memory for it.
std::string contents(const fs::path& folder, const char* name) {
  std::ostringstream text;
  text << std::ifstream(folder.native() + "/" + name).rdbuf();
  return text.str();
}

// "max 100000" or "150000 100000": microseconds of time a period.
std::optional<double> quota_of_version_2(const fs::path& folder) {
  std::istringstream text(contents(folder, "cpu.max"));
  double quota, period;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// -1: no limit.
std::optional<double> quota_of_version_1(const fs::path& folder) {
  std::istringstream text(contents(folder, "cpu.cfs_quota_us") + " " + contents(folder, "cpu.cfs_period_us"));
  double quota, period;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// Of the group at `path` below `hierarchy`, and of all above it. Within a container the group's path may be that of the
// host and not exist: then the hierarchy's root is the container's.
template <class Quota>
void lower_to_quotas(std::optional<double>& least, const fs::path& hierarchy, fs::path path, Quota quota) {
  for (path = path.relative_path();; path = path.parent_path()) {
    if (const auto own = quota(hierarchy.native() + "/" + path.native())) least = std::min(least.value_or(*own), *own);
    if (path.empty()) return;
  }
}

// Not std::thread::hardware_concurrency, which counts processors that the process may not run on.
int processors_allowed() {
  constexpr int kMostProcessors = 1 << 14;
  std::vector<cpu_set_t> set(kMostProcessors / CPU_SETSIZE);
  const std::size_t bytes = set.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, bytes, set.data()) == 0) return CPU_COUNT_S(bytes, set.data());
  return static_cast<int>(std::thread::hardware_concurrency());
}

int threads_allowed() {
  const auto quota = processors_by_quota(contents("/proc/self", "cgroup"), "/sys/fs/cgroup");
  const int processors = processors_allowed();
  return std::max(quota ? std::min(processors, static_cast<int>(std::ceil(*quota))) : processors, 1);
}

}  // namespace

std::optional<double> processors_by_quota(std::string_view groups, const fs::path& mount) {
  std::optional<double> least;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty())
      lower_to_quotas(least, mount, path, quota_of_version_2);
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      lower_to_quotas(least, mount / "cpu", path, quota_of_version_1);
  }
  return least;
}

int host_threads() {
  static const int allowed = threads_allowed();
  const int set = chosen;
  return set > 0 ? set : allowed;
}

void set_host_threads(int threads) { chosen = threads; }

}  // namespace beatscan
