// Tests the order of recordings and their devices.
#include "app/batch/devices.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace beatscan {
namespace {

std::size_t taken_now(JobQueue& queue, std::size_t device) { return queue.take(device).value().job; }

TEST(JobQueue, TheLargestComesFirstAndEqualsInTheirOrder) {
  JobQueue queue({1, 5, 1, 9}, {100}, 100);
  std::vector<std::size_t> order;
  for (int i = 0; i < 4; ++i) order.push_back(taken_now(queue, 0));
  EXPECT_EQ(order, (std::vector<std::size_t>{3, 1, 0, 2}));
}

TEST(JobQueue, ASmallerOnePassesWhereTheLargerHasNoRoom) {
  JobQueue queue({6, 5, 3}, {10}, 100);
  EXPECT_EQ(taken_now(queue, 0), 0u);
  EXPECT_EQ(taken_now(queue, 0), 2u);
}

TEST(JobQueue, OneThatIsTooLargeForAllIsStillTaken) {
  JobQueue queue({50, 60}, {10}, 10);
  EXPECT_EQ(taken_now(queue, 0), 1u);
}

TEST(JobQueue, TheHostsRoomIsSharedByAllDevices) {
  JobQueue queue({6, 6, 3}, {10, 10}, 10);
  EXPECT_EQ(taken_now(queue, 0), 0u);
  EXPECT_EQ(taken_now(queue, 1), 2u);
}

TEST(JobQueue, ThereIsNoneLeftOnlyWhenAllAreDone) {
  JobQueue queue({1}, {10, 10}, 10);
  const auto taken = queue.take(0).value();
  std::atomic<bool> got = false;
  std::jthread other([&] { got = queue.take(1).has_value(); });  // waits: the recording may come back
  queue.give_back(0, taken);
  other.join();
  EXPECT_TRUE(got);
  queue.finish(1, taken);
  EXPECT_FALSE(queue.take(0));
}

TEST(JobQueue, OneThatNeedsADeviceAloneGetsItWhenTheOthersHaveLeft) {
  JobQueue queue({9, 1, 1}, {100}, 100);
  const auto large = queue.take(0).value(), small = queue.take(0).value();
  queue.give_back_for_a_device_alone(0, large);
  std::atomic<bool> alone = false;
  std::atomic<std::size_t> job = 99;
  std::jthread other([&] {
    const auto taken = queue.take(0).value();
    job = taken.job;
    alone = taken.alone;
  });
  queue.finish(0, small);
  other.join();
  EXPECT_EQ(job, 0u);
  EXPECT_TRUE(alone);
  std::atomic<bool> taken = false;
  std::jthread waits([&] { taken = queue.take(0).has_value(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(taken) << "while the first has the device to itself";
  queue.finish(0, {0, true});
  waits.join();
  EXPECT_TRUE(taken);
}

TEST(JobQueue, StopEndsTheWaiting) {
  JobQueue queue({5, 5}, {6}, 6);
  EXPECT_TRUE(queue.take(0));
  std::jthread other([&] { EXPECT_FALSE(queue.take(0)); });
  queue.stop();
}

TEST(JobQueue, EachIsHandedOutOnceToManyThreads) {
  constexpr std::size_t kJobs = 2000;
  std::vector<std::int64_t> needs(kJobs);
  for (std::size_t i = 0; i < kJobs; ++i) needs[i] = 1 + static_cast<std::int64_t>(i * 7919 % 13);
  JobQueue queue(needs, {20, 30}, 40);
  std::vector<std::atomic<int>> times(kJobs);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, device = i % 2] {
      while (const auto taken = queue.take(device)) {
        if (++times[taken->job] == 1 && taken->job % 10 == 0)
          queue.give_back_for_a_device_alone(device, *taken);
        else
          queue.finish(device, *taken);
      }
    });
  threads.clear();
  for (std::size_t i = 0; i < kJobs; ++i) ASSERT_EQ(times[i], i % 10 == 0 ? 2 : 1) << i;
}

}  // namespace
}  // namespace beatscan
