// tests/support/test_stride.h — runs only a share of the cases of a long test. Under a sanitizer each case takes a
// hundred times as long. With BEATSCAN_TEST_STRIDE=k every k-th case runs, and always the first; without it all cases
// run.
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

// Returns whether the next case is left out. Must be asked once for each case of a test, in order. Starts anew if the
// test is repeated (--gtest_repeat).
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
