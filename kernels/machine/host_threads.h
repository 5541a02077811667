// kernels/machine/host_threads.h — decides how many threads of the host the program works on. The process has
// process_threads(), and run_parts starts as many. In a batch each recording has a share of them. A Cpu that was given
// no number of threads takes the share.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string_view>

namespace beatscan {

// Returns the number of threads for work of the calling thread: its share if it has one, else process_threads().
int host_threads();

// Returns the number that was set for the process, or else the number of processors that the process may use, at least
// 1. It may use those that it may run on (taskset, cpusets), and fewer if its control group has a quota of time
// (containers).
int process_threads();

// Sets the number for the whole process; 0 stands for what the process may use. It must be called before the first work
// for threads, because run_parts starts its threads once. Results do not depend on the number.
void set_host_threads(int threads);

// The number of threads that a recording may take while others are analysed concurrently. It is at least 1, and may
// change while the recording is analysed.
using Share = std::atomic<int>;

// Gives the calling thread a share while the object lives; null gives it none. The share must outlive the object, which
// must end on the thread that made it. Parts that run_parts runs on other threads have the share of its caller. Threads
// that the caller starts itself have none.
class ShareOfThisThread {
 public:
  explicit ShareOfThisThread(const Share* share);
  ~ShareOfThisThread();
  ShareOfThisThread(const ShareOfThisThread&) = delete;
  ShareOfThisThread& operator=(const ShareOfThisThread&) = delete;

 private:
  const Share* before_;
};

// Returns the share of the calling thread; null if it has none.
const Share* share_of_this_thread();

// Returns whether the calling thread has a share: others may work concurrently.
bool shares_processors();

// Returns how many processors' worth of time the control groups (version 1 or 2) allow: the least quota of the
// process's group and of those above it. Returns nothing if there is no limit.
//   groups  the contents of /proc/self/cgroup, lines ID:CONTROLLERS:PATH (cgroups(7))
//   mount   where the hierarchies are mounted: /sys/fs/cgroup
std::optional<double> processors_by_quota(std::string_view groups, const std::filesystem::path& mount);

}  // namespace beatscan
