// kernels/runtime/host_threads.h — how many threads of the host the program works on. The one place that decides it: a
// Cpu without a number of its own takes this, and so do the threads behind run_parts.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace beatscan {

// What was set, else what the process may use: the processors that it may run on (taskset, cpusets), fewer where its
// control group has a quota of time (containers). At least 1.
int host_threads();

// For the whole process; 0: what it may use. To be called before there is work for threads: those of run_parts are
// started once. Results do not depend on it.
void set_host_threads(int threads);

// Processors' worth of time that control groups allow, in either version: the least of the process's group and of those
// above it, nothing without a limit.
//   groups  the contents of /proc/self/cgroup, lines ID:CONTROLLERS:PATH (cgroups(7))
//   mount   where the hierarchies are mounted: /sys/fs/cgroup
std::optional<double> processors_by_quota(std::string_view groups, const std::filesystem::path& mount);

}  // namespace beatscan
