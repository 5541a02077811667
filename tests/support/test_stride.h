// tests/support/test_stride.h — runs only a fraction of the cases of a long test, because a sanitizer makes each case a
// hundred times slower. With BEATSCAN_TEST_STRIDE=k only the first and then every k-th case runs; without it all cases
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

// Returns whether to skip the next case. Must be called once for each case of a test, in order. Restarts if the test is
// repeated (--gtest_repeat).
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
