#include "kernels/lists/sorted_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace beatscan {
namespace {

using Values = std::vector<double>;

Values values_of(const SortedWindow& window) { return {window.sorted().begin(), window.sorted().end()}; }

TEST(SortedWindow, ByHand) {
  const Values list = {5, 3, 3, 9, 1};
  SortedWindow window(list);
  EXPECT_EQ(values_of(window), Values{});
  window.move_to(0, 3);
  EXPECT_EQ(values_of(window), (Values{3, 3, 5}));
  window.move_to(1, 4);
  EXPECT_EQ(values_of(window), (Values{3, 3, 9}));
  window.move_to(2, 5);
  EXPECT_EQ(values_of(window), (Values{1, 3, 9})) << "of equal values one stays";
  window.move_to(5, 5);
  EXPECT_EQ(values_of(window), Values{});
  window.move_to(0, 2);
  EXPECT_EQ(values_of(window), (Values{3, 5})) << "back";
}

// There are few distinct values, so there are ties. The window moves up as it does for callers, and leaps now and then.
TEST(SortedWindow, MatchesItsDefinition) {
  for (const std::int64_t n : {0, 1, 2, 40, 500}) {
    SCOPED_TRACE(n);
    std::mt19937 random(1);
    Values list(n);
    for (double& value : list) value = static_cast<double>(random() % 6);
    SortedWindow window(list);
    std::int64_t first = 0, last = 0;
    for (int move = 0; move < 2000; ++move) {
      first = random() % 50 == 0 ? random() % (n + 1) : std::min<std::int64_t>(first + random() % 3, n);
      last = random() % 50 == 0 ? n : std::min<std::int64_t>(std::max(last, first) + random() % 4, n);
      last = std::max(first, last);
      window.move_to(first, last);
      Values expected(list.begin() + first, list.begin() + last);
      std::ranges::sort(expected);
      ASSERT_EQ(values_of(window), expected) << first << " " << last;
    }
  }
}

}  // namespace
}  // namespace beatscan
