#include "kernels/machine/host_memory.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/kernels/machine/group_files.h"

namespace beatscan {
namespace {

class MemoryOfGroups : public GroupFiles {
 protected:
  std::size_t of(const std::string& groups) { return available_to_groups(groups, folder_.path().string()); }
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
};

TEST_F(MemoryOfGroups, OfVersion2IsTheLeastUpToTheRoot) {
  write("", "memory.max", "max\n");
  EXPECT_EQ(of("0::/a/b\n"), kNoLimit);
  write("a", "memory.max", "1000\n");
  write("a", "memory.current", "300\n");
  EXPECT_EQ(of("0::/a/b\n"), 700u);
  write("a/b", "memory.max", "800\n");
  write("a/b", "memory.current", "200\n");
  EXPECT_EQ(of("0::/a/b\n"), 600u);
  write("a/b", "memory.stat", "anon 120\ninactive_file 50\n");
  EXPECT_EQ(of("0::/a/b\n"), 650u) << "the cache gives files up";
  EXPECT_EQ(of("0::/\n"), kNoLimit);
}

// A job of Slurm has a group of its own below the root.
TEST_F(MemoryOfGroups, OfVersion1IsThatOfTheJob) {
  const std::string groups = "5:memory:/slurm/job_7\n4:cpu,cpuacct:/x\n0::/\n";
  write("memory", "memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(of(groups), 9223372036854771712u);
  write("memory/slurm/job_7", "memory.limit_in_bytes", "5000\n");
  write("memory/slurm/job_7", "memory.usage_in_bytes", "4000\n");
  write("memory/slurm/job_7", "memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
  EXPECT_EQ(of(groups), 1500u);
}

// In a container the path in /proc/self/cgroup may be the host's.
TEST_F(MemoryOfGroups, OfAGroupThatIsNotThereIsTheRoots) {
  write("memory", "memory.limit_in_bytes", "900\n");
  write("", "memory.max", "800\n");
  EXPECT_EQ(of("3:memory:/docker/1234\n"), 900u);
  EXPECT_EQ(of("0::/docker/1234\n"), 800u);
}

TEST_F(MemoryOfGroups, IsNothingWhereMoreIsUsedThanAllowed) {
  write("", "memory.max", "100\n");
  write("", "memory.current", "120\n");
  EXPECT_EQ(of("0::/\n"), 0u);
}

TEST_F(MemoryOfGroups, WhatCannotBeReadIsNoLimit) {
  for (const char* groups : {"", "\n", "nonsense", "1:memory", "0::", "1:memory:\n::::\n"})
    EXPECT_EQ(of(groups), kNoLimit);
  write("", "memory.max", "x");
  EXPECT_EQ(of("0::/\n"), kNoLimit);
}

}  // namespace
}  // namespace beatscan
