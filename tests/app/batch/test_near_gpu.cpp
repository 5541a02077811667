#include "app/batch/devices.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

ProcessorSet range(int first, int last) {
  ProcessorSet processors;
  for (int i = first; i <= last; ++i) processors.insert(i);
  return processors;
}

const ProcessorSet kAll = range(0, 15), kLow = range(0, 7), kHigh = range(8, 15);
using Sets = std::vector<ProcessorSet>;

TEST(NearGpu, ThreadsStayOnTheProcessorsOfTheirNode) {
  EXPECT_EQ(processors_to_stay_on({kLow, kHigh}, kAll, 16), (Sets{kLow, kHigh}));
  EXPECT_EQ(processors_to_stay_on({kHigh, kLow, kHigh, kLow}, kAll, 16), (Sets{kHigh, kLow, kHigh, kLow}));
}

TEST(NearGpu, ThreadsUseOnlyProcessorsThatTheProcessMayRunOn) {
  EXPECT_EQ(processors_to_stay_on({kLow, kHigh}, range(4, 11), 8), (Sets{range(4, 7), range(8, 11)}));
  EXPECT_EQ(processors_to_stay_on({kLow, kHigh}, range(2, 9), 4), (Sets{range(2, 7), range(8, 9)}));
}

// Cases in which a share of the threads would have fewer processors than elsewhere, or nothing would be gained.
TEST(NearGpu, ThreadsRunAnywhereIfStayingMightCostSomething) {
  const struct {
    const char* what;
    Sets near;
    ProcessorSet allowed = kAll;
    int threads = 16;
  } cases[] = {
      {"no GPU", {}},
      {"one GPU", {kLow}},
      {"one GPU on a host with one node", {kAll}},
      {"one node", {kAll, kAll}},
      {"all GPUs at one of two nodes", {kLow, kLow}},
      {"nothing is known", {{}, {}}},
      {"nothing is known of one", {kLow, {}}},
      {"one of three at the second node, with half of the processors", {kLow, kLow, kHigh}},
      {"nodes that overlap", {range(0, 8), range(8, 15)}},
      {"a process on the first node", {kLow, kHigh}, kLow, 8},
      {"a process that lacks some of the second node", {kLow, kHigh}, range(0, 13), 14},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.what);
    EXPECT_EQ(processors_to_stay_on(each.near, each.allowed, each.threads), Sets(each.near.size()));
  }
}

TEST(NearGpu, AskingTheHostIsSafe) {
  EXPECT_TRUE(processors_to_stay_on(std::vector<Gpu>{}).empty());
  EXPECT_EQ(processors_to_stay_on({{.device = 1 << 20, .number = 0}}), Sets(1)) << "there is no such GPU";
}

}  // namespace
}  // namespace beatscan
