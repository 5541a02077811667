#include "stages/classify/accepted_intervals.h"

#include <gtest/gtest.h>

#include <vector>

namespace beatscan {
namespace {

std::vector<double> regular(std::size_t beats) { return std::vector<double>(beats, 0.8); }

TEST(AcceptedIntervals, OfARegularRhythmAreItsOwn) {
  const auto rr = regular(100);
  const auto found = accepted_intervals(rr, std::vector<std::uint8_t>(100));
  EXPECT_EQ(found.reference_s, rr);
  EXPECT_EQ(found.premature, std::vector<std::uint8_t>(100));
  EXPECT_EQ(found.scatter, std::vector<double>(100));
}

TEST(AcceptedIntervals, LeaveOutAPrematureBeatAndItsPause) {
  auto rr = regular(100);
  rr[50] = 0.5, rr[51] = 1.1;
  const auto found = accepted_intervals(rr, std::vector<std::uint8_t>(100));
  for (std::size_t i = 0; i < rr.size(); ++i) EXPECT_EQ(found.premature[i], i == 50) << i;
  EXPECT_EQ(found.reference_s, regular(100));
  // 1 - 0.5 / 0.8 + 0.375 / 2 + 0.6 * 0.2
  EXPECT_NEAR(found.margin[50], 0.375 + 0.1875 + 0.12, 1e-12);
}

TEST(AcceptedIntervals, SetBeatsOfTheMaskAside) {
  auto rr = regular(100);
  rr[50] = 0.5, rr[51] = 1.1;
  std::vector<std::uint8_t> aside(100);
  aside[50] = 1;
  EXPECT_EQ(accepted_intervals(rr, aside).premature, std::vector<std::uint8_t>(100));
}

// A beat soon after an interpolated one is not premature: it comes when it is due.
TEST(AcceptedIntervals, MeasureAcrossBeatsThatAreSetAside) {
  auto rr = regular(101);
  rr[50] = 0.4, rr[51] = 0.4;
  std::vector<std::uint8_t> aside(101);
  EXPECT_EQ(accepted_intervals(rr, aside).premature[50], 1);
  aside[50] = 1;
  EXPECT_EQ(accepted_intervals(rr, aside).premature, std::vector<std::uint8_t>(101));
}

// In a bigeminy half of the intervals are short, and the reference is none of them.
TEST(AcceptedIntervals, FindEveryOtherBeatOfABigeminy) {
  auto rr = regular(200);
  for (std::size_t i = 60; i < 140; i += 2) rr[i] = 0.5, rr[i + 1] = 1.1;
  const auto found = accepted_intervals(rr, std::vector<std::uint8_t>(200));
  for (std::size_t i = 0; i < rr.size(); ++i) EXPECT_EQ(found.premature[i], i >= 60 && i < 140 && i % 2 == 0) << i;
}

TEST(AcceptedIntervals, GoOnWithARunUntilItEnds) {
  auto rr = regular(120);
  for (std::size_t i = 50; i < 62; ++i) rr[i] = 0.45;
  rr[62] = 1.0;
  const auto found = accepted_intervals(rr, std::vector<std::uint8_t>(120));
  for (std::size_t i = 0; i < rr.size(); ++i) EXPECT_EQ(found.premature[i], i >= 50 && i < 62) << i;
}

TEST(AcceptedIntervals, AreFiniteForOneAndTwoBeats) {
  for (const std::size_t beats : {1, 2}) {
    const auto found = accepted_intervals(regular(beats), std::vector<std::uint8_t>(beats, 1));
    EXPECT_EQ(found.reference_s, regular(beats));
    EXPECT_EQ(found.premature, std::vector<std::uint8_t>(beats));
  }
}

}  // namespace
}  // namespace beatscan
