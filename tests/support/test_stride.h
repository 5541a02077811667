// tests/support/test_stride.h — of tests with many cases, the share that is left under a sanitizer, where each case
// takes a hundred times as long: BEATSCAN_TEST_STRIDE=k runs every k-th, and always the first. All, where nothing is
// said.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace beatscan {

inline int test_stride() {
  static const char* const wanted = std::getenv("BEATSCAN_TEST_STRIDE");
  static const int stride = wanted ? std::max(std::atoi(wanted), 1) : 1;
  return stride;
}

// Asked once for each case of a test, in order. Where the test is run again (--gtest_repeat), from the first again.
inline bool left_out() {
  static std::pair<const testing::TestInfo*, testing::TimeInMillis> of;
  static int asked = 0;
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::pair current(test, test->result()->start_timestamp());
  if (of != current) asked = 0;
  of = current;
  return asked++ % test_stride() != 0;
}

}  // namespace beatscan
