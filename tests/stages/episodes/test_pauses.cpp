#include "stages/episodes/pauses.h"

#include <gtest/gtest.h>

#include "tests/stages/episodes/listed_beats.h"

namespace beatscan {
namespace {

std::string found_pauses(const ListedForTest& beats, const SignalEvidence* evidence = nullptr) {
  return told(pauses(beats.view(), IntervalFlags(beats.broken.size()), evidence, {}), beats);
}

// A pause is longer than 2 s, and asystole longer than 4 s.
TEST(Pauses, Thresholds) {
  ListedForTest beats = beats_of("NN", 2);
  EXPECT_EQ(found_pauses(beats), "");
  beats.add('N', 2.01);
  beats.add('N', 4);
  beats.add('N', 4.01);
  EXPECT_EQ(found_pauses(beats), "PAUSE 1-2, PAUSE 2-3, PAUSE 3-4, ASYS 3-4");
  EXPECT_EQ(found_pauses(beats_of("", 1)) + found_pauses(beats_of("N", 1)), "");
}

TEST(Pauses, AnIntervalThatIsNotKnownIsNoPauseWithoutASignal) {
  ListedForTest beats = beats_of("NNN", 8);
  beats.broken[0] = 1;
  EXPECT_EQ(found_pauses(beats), "PAUSE 1-2, ASYS 1-2");
}

// The signal decides: it may be silent in an interval that is not known, or noisy in one that is.
TEST(Pauses, TheSignalDecides) {
  ListedForTest beats = beats_of("NNN", 3);
  beats.broken[0] = 1;
  const SignalEvidence evidence{{}, {1, 0}};
  EXPECT_EQ(found_pauses(beats, &evidence), "PAUSE 0-1");
}

TEST(Pauses, NoneWhereTheVentriclesFibrillate) {
  const ListedForTest beats = beats_of("NNN", 3);
  EXPECT_EQ(told(pauses(beats.view(), {1, 0}, nullptr, {}), beats), "PAUSE 1-2");
}

TEST(Pauses, PoorSignalIsTold) {
  ListedForTest beats = beats_of("NN", 3);
  beats.quality[1] = Quality::clipped;
  const auto found = pauses(beats.view(), {0}, nullptr, {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].confidence, 0.5);
  EXPECT_EQ(found[0].quality, Quality::clipped);
}

}  // namespace
}  // namespace beatscan
