#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/run_program.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

TEST(TestStride, TheFirstCaseIsNeverLeftOut) {
  EXPECT_FALSE(left_out());
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // runs are distinguished by their start time
}

TEST(TestStride, NorWhereTheTestIsRunAgain) {
  const auto result = run_program(
      {.words = {"/proc/self/exe", "--gtest_filter=TestStride.TheFirstCaseIsNeverLeftOut", "--gtest_repeat=3"},
       .environment = {"BEATSCAN_TEST_STRIDE=2"}});
  EXPECT_EQ(result.status, 0) << result.out;
}

}  // namespace
}  // namespace beatscan
