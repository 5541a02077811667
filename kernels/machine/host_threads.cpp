#include "kernels/machine/host_threads.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "kernels/machine/host_memory.h"
#include "kernels/machine/processor_set.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

std::atomic<int> chosen = 0;
thread_local const Share* share = nullptr;

// Reads cpu.max, which holds "max 100000" or "150000 100000", or the two files of version 1: microseconds of time in a
// period of microseconds. A quota of -1 is no limit.
std::optional<double> quota_of(const ControlGroup& group) {
  std::istringstream text(group.version == 2 ? text_in(group.folder, "cpu.max")
                                             : text_in(group.folder, "cpu.cfs_quota_us") + " " +
                                                   text_in(group.folder, "cpu.cfs_period_us"));
  double quota, period;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// Counts the processors that the process may run on. std::thread::hardware_concurrency would count the others, too.
int processors_allowed() {
  const auto allowed = std::ssize(processors_of_process());
  return static_cast<int>(allowed > 0 ? allowed : std::thread::hardware_concurrency());
}

int threads_allowed() {
  const auto quota = processors_by_quota(text_in("/proc/self", "cgroup"), "/sys/fs/cgroup");
  const int processors = processors_allowed();
  return std::max(quota ? std::min(processors, static_cast<int>(std::ceil(*quota))) : processors, 1);
}

}  // namespace

std::optional<double> processors_by_quota(std::string_view groups, const fs::path& mount) {
  std::optional<double> least;
  for (const auto& group : control_groups(groups, mount.native(), "cpu"))
    if (const auto own = quota_of(group)) least = std::min(least.value_or(*own), *own);
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
