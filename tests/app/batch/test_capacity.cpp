#include "app/batch/devices.h"

#include <gtest/gtest.h>

#include "kernels/machine/host_threads.h"

namespace beatscan {
namespace {

constexpr std::int64_t kSmallRecording = 100 << 20, kLargeRecording = std::int64_t{1} << 30;

class RecordingsAtATime : public testing::Test {
 protected:
  static void SetUpTestSuite() { set_host_threads(16); }
  static void TearDownTestSuite() { set_host_threads(0); }
};

TEST_F(RecordingsAtATime, OnAGpuAreMoreWhereAllAreSmall) {
  const std::vector<std::int64_t> small(500, kSmallRecording);
  auto one_large = small;
  one_large[77] = kLargeRecording;
  EXPECT_EQ(recordings_at_a_time(true, 1, small, 0), 20);
  EXPECT_EQ(recordings_at_a_time(true, 2, small, 0), 10) << "of each GPU";
  EXPECT_EQ(recordings_at_a_time(true, 4, small, 0), 4) << "of many GPUs";
  EXPECT_EQ(recordings_at_a_time(true, 1, one_large, 0), 16);
  EXPECT_EQ(recordings_at_a_time(true, 2, one_large, 0), 8) << "of each GPU";
  EXPECT_EQ(recordings_at_a_time(false, 1, small, 0), 16) << "the CPU";
}

TEST_F(RecordingsAtATime, AreAsManyAsAskedForAndNoMoreThanThereAre) {
  const std::vector<std::int64_t> small(500, kSmallRecording);
  EXPECT_EQ(recordings_at_a_time(true, 1, small, 5), 5);
  EXPECT_EQ(recordings_at_a_time(true, 1, {kSmallRecording, kSmallRecording}, 5), 2);
  EXPECT_EQ(recordings_at_a_time(true, 2, {kSmallRecording, kSmallRecording}, 5), 1);
  EXPECT_EQ(recordings_at_a_time(true, 1, {kLargeRecording}, 0), 1);
}

}  // namespace
}  // namespace beatscan
