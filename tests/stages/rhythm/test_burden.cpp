#include "stages/rhythm/burden.h"

#include <gtest/gtest.h>

#include "stages/rhythm/episode.h"
#include "tests/stages/rhythm/listed_beats.h"

namespace beatscan {
namespace {

ClassBurden burden(const ListedForTest& beats, BeatClass beat_class, const std::vector<Episode>& episodes = {}) {
  return burden_of_class(beats.view(), {.list = episodes, .linked = all_linked(beats)}, beat_class,
                         100 * beats.sample_rate_hz);
}

// V alone, a couplet, a run of three at 120 a minute and a run of four at 100 a minute.
TEST(Burden, ByHand) {
  ListedForTest beats = beats_of("NVNVVN", 1);
  beats.add("VVV", 0.5);
  beats.add('N', 1);
  beats.add("VVVV", 0.6);
  beats.add("NNNNNN", 1);
  const ClassBurden v = burden(beats, BeatClass::ventricular);
  EXPECT_EQ(v.beats, 10);
  EXPECT_EQ(v.couplets, 1);
  EXPECT_EQ(v.runs, 2);
  EXPECT_NEAR(*v.percent, 50, 1e-9);
  EXPECT_NEAR(*v.per_hour, 360, 1e-9);
  EXPECT_EQ(v.longest->beats, 4);
  EXPECT_NEAR(v.longest->rate_bpm, 100, 1e-9);
  EXPECT_NEAR(v.longest->start_s, 8.1, 1e-9);
  EXPECT_EQ(v.fastest->beats, 3);
  EXPECT_NEAR(v.fastest->rate_bpm, 120, 1e-9);
  EXPECT_NEAR(v.fastest->start_s, 5.5, 1e-9);
  EXPECT_EQ(burden(beats, BeatClass::supraventricular).beats, 0);
}

// An unknown interval parts a run, and of equal runs the first is named.
TEST(Burden, BeatsInARow) {
  ListedForTest beats = beats_of("NVVVVN", 0.5);
  beats.broken[2] = 1;
  EXPECT_EQ(burden(beats, BeatClass::ventricular).couplets, 2);
  EXPECT_FALSE(burden(beats, BeatClass::ventricular).longest);
  beats = beats_of("NSSSNSSSN", 0.5);
  EXPECT_NEAR(burden(beats, BeatClass::supraventricular).longest->start_s, 0.5, 1e-9);
}

// S in AFIB are not counted; V in VF are, but not as runs.
TEST(Burden, InFibrillation) {
  const ListedForTest beats = beats_of("NSSSNVVVN", 0.5);
  const auto from_to = [](double from_s, double to_s, EpisodeLabel label) {
    return std::vector<Episode>{{.start = 100 * from_s, .end = 100 * to_s, .label = label}};
  };
  const auto af = from_to(0.5, 1, EpisodeLabel::atrial_fibrillation);
  EXPECT_EQ(burden(beats, BeatClass::supraventricular, af).beats, 1);
  EXPECT_EQ(burden(beats, BeatClass::ventricular, af).runs, 1);
  const auto vf = from_to(2.5, 3.5, EpisodeLabel::ventricular_fibrillation);
  EXPECT_EQ(burden(beats, BeatClass::ventricular, vf).beats, 3);
  EXPECT_EQ(burden(beats, BeatClass::ventricular, vf).runs, 0);
}

TEST(Burden, OfNoBeats) {
  const ClassBurden none = burden_of_class(ListedForTest().view(), {}, BeatClass::ventricular, 0);
  EXPECT_EQ(none.beats, 0);
  EXPECT_FALSE(none.percent || none.per_hour || none.longest || none.fastest);
}

}  // namespace
}  // namespace beatscan
