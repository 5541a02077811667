#include "stages/rhythm/rhythm_findings.h"

#include "tests/stages/rhythm/listed_beats.h"

namespace beatscan {
namespace {

TEST(Hours, ByHand) {
  ListedForTest beats;
  beats.sample_rate_hz = 1;
  beats.add("NN", 1);
  beats.add('V', 3598);  // at 3,599 s
  beats.add('N', 1);     // at 3,600 s
  beats.add("SN", 2);
  Episodes episodes{.list = {{.start = 3000, .end = 4000, .label = EpisodeLabel::atrial_fibrillation}},
                    .af_assessed = {{0, 10}, {3000, 7300}},
                    .hidden = IntervalFlags(5),
                    .linked = {1, 0, 1, 1, 1}};
  const auto hours = hours_of(beats.view(), episodes, 7300);
  ASSERT_EQ(hours.size(), 3U);
  EXPECT_EQ(hours[0].beats, 3);
  EXPECT_EQ(hours[0].beat_classes, (std::array<std::int64_t, kBeatClassCount>{2, 0, 1, 0, 0}));
  EXPECT_EQ(hours[0].rate_bpm, 60);
  EXPECT_EQ(hours[1].from_s, 3600);
  EXPECT_EQ(hours[1].beat_classes, (std::array<std::int64_t, kBeatClassCount>{2, 1, 0, 0, 0}));
  EXPECT_EQ(hours[1].rate_bpm, 30) << "the median of 1, 2 and 2 s";
  EXPECT_EQ(hours[0].afib_s, 600);
  EXPECT_EQ(hours[1].afib_s, 400);
  EXPECT_EQ(hours[0].assessed_s, 610);
  EXPECT_EQ(hours[1].assessed_s, 3600);
  EXPECT_EQ(hours[2].assessed_s, 100);
  EXPECT_EQ(hours[2].beats, 0);
  EXPECT_FALSE(hours[2].rate_bpm.has_value());
  const AfBurden burden = burden_of(episodes, 1);
  EXPECT_EQ(burden.afib_s, 1000);
  EXPECT_EQ(burden.assessed_s, 4310);
}

TEST(Hours, OfNoBeats) {
  const auto hours = hours_of(ListedForTest().view(), {}, 0);
  ASSERT_EQ(hours.size(), 1U);
  EXPECT_EQ(hours[0].beats, 0);
  EXPECT_FALSE(hours[0].rate_bpm.has_value());
}

// A beat at the very end counts in the last hour.
TEST(Hours, TheEndOfAnHour) {
  ListedForTest beats;
  beats.sample_rate_hz = 1;
  beats.add("NN", 3600);
  EXPECT_EQ(hours_of(beats.view(), {.linked = {0}}, 3600).size(), 1U);
  EXPECT_EQ(hours_of(beats.view(), {.linked = {0}}, 3600)[0].beats, 2);
  EXPECT_EQ(hours_of(beats.view(), {.linked = {0}}, 3601).size(), 2U);
}

}  // namespace
}  // namespace beatscan
