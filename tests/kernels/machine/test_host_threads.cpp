#include "kernels/machine/host_threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "kernels/machine/thread_policy.h"
#include "kernels/runtime/context.h"
#include "tests/kernels/machine/group_files.h"
#include "tests/support/run_program.h"

namespace beatscan {
namespace {

TEST(HostThreads, AreThoseThatWereSetElseThoseThatMayBeUsed) {
  const int allowed = host_threads();
  EXPECT_GE(allowed, 1);
  set_host_threads(3);
  EXPECT_EQ(host_threads(), 3);
  EXPECT_EQ(Cpu().threads(), 3);
  EXPECT_EQ(Cpu(5).threads(), 5) << "a number of its own";
  set_host_threads(0);
  EXPECT_EQ(Cpu().threads(), allowed);
}

TEST(HostThreads, AreTheShareOfAThreadThatHasOne) {
  const int allowed = host_threads();
  const Cpu cpu;
  {
    Share number = 7;
    const ShareOfThisThread share(&number);
    EXPECT_TRUE(shares_processors());
    EXPECT_EQ(host_threads(), 7);
    EXPECT_EQ(cpu.threads(), 7) << "a context that was there before";
    EXPECT_EQ(Cpu(5).threads(), 5);
    EXPECT_EQ(thread_policy(), std::launch::async);
    number = 2;
    EXPECT_EQ(cpu.threads(), 2) << "it changes while a recording is analysed";
    {
      const ShareOfThisThread none(nullptr);
      EXPECT_FALSE(shares_processors());
      EXPECT_EQ(host_threads(), allowed);
    }
    EXPECT_EQ(host_threads(), 2);
    std::thread([&] { EXPECT_EQ(host_threads(), allowed) << "another thread has none"; }).join();
  }
  EXPECT_FALSE(shares_processors());
  EXPECT_EQ(cpu.threads(), allowed);
}

TEST(HostThreads, OneThreadAmongOthersStartsNone) {
  Share number = 1;
  const ShareOfThisThread share(&number);
  EXPECT_EQ(thread_policy(), std::launch::deferred);
  EXPECT_EQ(std::async(thread_policy(), [] { return std::this_thread::get_id(); }).get(), std::this_thread::get_id());
  const ShareOfThisThread none(nullptr);
  EXPECT_EQ(thread_policy(), std::launch::async) << "a recording alone, whatever processors there are";
}

int threads_of_program() {
  const auto result = run_program({"info"});
  return nlohmann::json::parse(result.out)["devices"][0]["multiprocessors"];
}

// The program inherits the set of processors that this thread may run on. `taskset` relies on this, too.
TEST(HostThreads, AreNoMoreThanTheProcessorsThatTheProcessMayRunOn) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int processor = 0; processor < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++processor)
    if (CPU_ISSET(processor, &before)) CPU_SET(processor, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(threads_of_program(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(threads_of_program(), 1);
  EXPECT_LE(threads_of_program(), CPU_COUNT(&before));
}

class Quota : public GroupFiles {
 protected:
  std::optional<double> of(const std::string& groups) { return processors_by_quota(groups, folder_.path()); }
};

TEST_F(Quota, OfVersion2IsTheLeastUpToTheRoot) {
  write("", "cpu.max", "max 100000\n");
  EXPECT_EQ(of("0::/a/b\n"), std::nullopt);
  write("a", "cpu.max", "250000 100000\n");
  EXPECT_EQ(of("0::/a/b\n"), 2.5);
  write("a/b", "cpu.max", "400000 100000\n");
  EXPECT_EQ(of("0::/a/b\n"), 2.5);
  write("a/b", "cpu.max", "100000 200000\n");
  EXPECT_EQ(of("0::/a/b\n"), 0.5);
  EXPECT_EQ(of("0::/\n"), std::nullopt);
}

TEST_F(Quota, OfVersion1IsThatOfTheControllerCpu) {
  write("cpu/x", "cpu.cfs_quota_us", "-1\n");
  write("cpu/x", "cpu.cfs_period_us", "100000\n");
  const std::string groups = "5:memory:/y\n4:cpu,cpuacct:/x\n3:cpuset:/z\n";
  EXPECT_EQ(of(groups), std::nullopt);
  write("cpu/x", "cpu.cfs_quota_us", "300000\n");
  EXPECT_EQ(of(groups), 3);
}

// In a container the path in /proc/self/cgroup may be the host's.
TEST_F(Quota, OfAGroupThatIsNotThereIsTheRoots) {
  write("", "cpu.max", "150000 100000");
  EXPECT_EQ(of("0::/system.slice/docker-1234.scope\n"), 1.5);
}

TEST_F(Quota, WhatCannotBeReadIsNoLimit) {
  for (const char* groups : {"", "\n", "nonsense", "1:cpu", "0::", "1:cpu:\n::::\n"})
    EXPECT_EQ(of(groups), std::nullopt);
  write("", "cpu.max", "0 0");
  EXPECT_EQ(of("0::/\n"), std::nullopt);
  write("", "cpu.max", "x");
  EXPECT_EQ(of("0::/\n"), std::nullopt);
}

}  // namespace
}  // namespace beatscan
