// kernels/runtime/host_threads.h — decides how many threads of the host the program works on. A Cpu that was given no
// number of threads takes this number, and so do the threads behind run_parts.
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

// The number of threads that each of several recordings may take which are analysed side by side, at least 1. It may
// change while they are analysed.
using Share = std::atomic<int>;

// Gives the calling thread a share while the object lives, or none if it is null. What run_parts hands to other threads
// has the share of the thread that called it.
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

// Says whether the calling thread has a share, so that others work beside it.
bool shares_processors();

// Returns how many processors' worth of time the control groups (version 1 or 2) allow: the least quota of the
// process's group and of those above it. Returns nothing if there is no limit.
//   groups  the contents of /proc/self/cgroup, lines ID:CONTROLLERS:PATH (cgroups(7))
//   mount   where the hierarchies are mounted: /sys/fs/cgroup
std::optional<double> processors_by_quota(std::string_view groups, const std::filesystem::path& mount);

}  // namespace beatscan
