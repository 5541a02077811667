#include "kernels/machine/host_threads.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "kernels/machine/processor_set.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

std::atomic<int> chosen = 0;
thread_local const Share* share = nullptr;

// Returns the text of a file; empty if it cannot be read. The path is put together as text because GCC 12's path / path
// may crash when memory runs out.
std::string contents(const fs::path& folder, const char* name) {
  std::ostringstream text;
  text << std::ifstream(folder.native() + "/" + name).rdbuf();
  return text.str();
}

// Reads cpu.max, which holds "max 100000" or "150000 100000": microseconds of time in a period of microseconds.
std::optional<double> quota_of_version_2(const fs::path& folder) {
  std::istringstream text(contents(folder, "cpu.max"));
  double quota, period;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// Reads a quota and a period in microseconds from two files. A quota of -1 is no limit.
std::optional<double> quota_of_version_1(const fs::path& folder) {
  std::istringstream text(contents(folder, "cpu.cfs_quota_us") + " " + contents(folder, "cpu.cfs_period_us"));
  double quota, period;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// Lowers `least` to the quotas of the group at `path` below `hierarchy` and of all groups above it. Within a container
// the path may be the host's and not exist. The hierarchy's root is then the container's group.
template <class Quota>
void lower_to_quotas(std::optional<double>& least, const fs::path& hierarchy, fs::path path, Quota quota) {
  for (path = path.relative_path();; path = path.parent_path()) {
    if (const auto own = quota(hierarchy.native() + "/" + path.native())) least = std::min(least.value_or(*own), *own);
    if (path.empty()) return;
  }
}

// Counts the processors that the process may run on. std::thread::hardware_concurrency would count the others, too.
int processors_allowed() {
  const auto allowed = std::ssize(processors_of_process());
  return static_cast<int>(allowed > 0 ? allowed : std::thread::hardware_concurrency());
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

int host_threads() { return share ? share->load() : process_threads(); }

int process_threads() {
  static const int allowed = threads_allowed();
  const int set = chosen;
  return set > 0 ? set : allowed;
}

ShareOfThisThread::ShareOfThisThread(const Share* given) : before_(std::exchange(share, given)) {}

ShareOfThisThread::~ShareOfThisThread() { share = before_; }

const Share* share_of_this_thread() { return share; }

bool shares_processors() { return share != nullptr; }

void set_host_threads(int threads) { chosen = threads; }

}  // namespace beatscan
