#include "app/output/summary_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace beatscan {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

TEST(RhythmWords, NameIntervalsThatAreOff) {
  EXPECT_EQ(rhythm_words(1, 1), "");
  EXPECT_EQ(rhythm_words(0.94f, 1.06f), "");
  EXPECT_EQ(rhythm_words(0.66f, 1), "34 % premature");
  EXPECT_EQ(rhythm_words(2.5f, 1), "150 % late");
  EXPECT_EQ(rhythm_words(1, 1.4f), "next RR interval 40 % longer");
  EXPECT_EQ(rhythm_words(0.66f, 1.4f), "34 % premature; next RR interval 40 % longer");
  EXPECT_EQ(rhythm_words(kUnknown, kUnknown), "");
}

TEST(RhythmWords, PartsThatMakeAScoreHigh) {
  const auto expect = [](bool rhythm, bool waveform, double own_waveform, double own_rhythm) {
    const ScoreParts parts = named_parts(own_waveform, own_rhythm);
    EXPECT_EQ(parts.rhythm, rhythm) << own_waveform << ", " << own_rhythm;
    EXPECT_EQ(parts.waveform, waveform) << own_waveform << ", " << own_rhythm;
  };
  expect(false, true, 10, 0);
  expect(false, true, 10, 4);
  expect(true, true, 10, 10);
  expect(true, false, 4, 10);
  expect(true, false, -3, 7);
  expect(false, true, 0, 0);
}

}  // namespace
}  // namespace beatscan
