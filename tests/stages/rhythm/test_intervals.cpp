#include "stages/rhythm/intervals.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace beatscan {
namespace {

using Ends = std::vector<std::pair<double, double>>;

Ends outside(TimeSpan span, const std::vector<TimeSpan>& others) {
  Ends ends;
  for (const TimeSpan& part : parts_outside(span, others)) ends.push_back({part.start, part.end});
  return ends;
}

TEST(PartsOutside, ByHand) {
  EXPECT_EQ(outside({10, 20}, {}), (Ends{{10, 20}}));
  EXPECT_EQ(outside({10, 20}, {{0, 10}, {20, 30}}), (Ends{{10, 20}}));
  EXPECT_EQ(outside({10, 20}, {{12, 13}, {15, 17}}), (Ends{{10, 12}, {13, 15}, {17, 20}}));
  EXPECT_EQ(outside({10, 20}, {{5, 12}, {18, 25}}), (Ends{{12, 18}}));
  EXPECT_EQ(outside({10, 20}, {{0, 30}}), Ends{});
  EXPECT_EQ(outside({10, 10}, {}), Ends{});
}

TEST(PartsOutside, OfSpansThatOverlap) {
  EXPECT_EQ(outside({10, 20}, {{11, 16}, {12, 13}, {15, 18}}), (Ends{{10, 11}, {18, 20}}));
  EXPECT_EQ(outside({10, 20}, {{9, 15}, {9, 12}}), (Ends{{15, 20}}));
}

}  // namespace
}  // namespace beatscan
