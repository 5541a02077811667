#include "app/batch/capacity.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/runtime/host_threads.h"

namespace beatscan {
namespace {

constexpr std::int64_t kSmallRecording = 100 << 20, kLargeRecording = std::int64_t{1} << 30;

TEST(RecordingsAtATime, OnAGpuAreMoreWhereAllAreSmall) {
  const int threads = process_threads();
  const std::vector<std::int64_t> small(500, kSmallRecording);
  auto one_large = small;
  one_large[77] = kLargeRecording;
  EXPECT_EQ(recordings_at_a_time(true, 1, small, 0), std::min(std::max(threads * 3 / 2, 1), 32));
  EXPECT_EQ(recordings_at_a_time(true, 1, one_large, 0), std::min(threads, 32));
  EXPECT_EQ(recordings_at_a_time(true, 2, one_large, 0), std::min(std::max(threads / 2, 1), 32)) << "of each GPU";
  EXPECT_EQ(recordings_at_a_time(false, 1, small, 0), threads) << "the CPU";
}

TEST(RecordingsAtATime, AreAsManyAsAskedForAndNoMoreThanThereAre) {
  const std::vector<std::int64_t> small(500, kSmallRecording);
  EXPECT_EQ(recordings_at_a_time(true, 1, small, 5), 5);
  EXPECT_EQ(recordings_at_a_time(true, 1, {kSmallRecording, kSmallRecording}, 5), 2);
  EXPECT_EQ(recordings_at_a_time(true, 2, {kSmallRecording, kSmallRecording}, 5), 1);
  EXPECT_EQ(recordings_at_a_time(true, 1, {kLargeRecording}, 0), 1);
}

}  // namespace
}  // namespace beatscan
