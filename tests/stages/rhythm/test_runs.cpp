#include "stages/rhythm/runs.h"

#include <gtest/gtest.h>

#include "stages/rhythm/episode.h"
#include "tests/stages/rhythm/listed_beats.h"

namespace beatscan {
namespace {

std::string v_runs(const ListedForTest& beats, const BeatRunOptions& options = {}) {
  return labelled(ventricular_runs(beats.view(), all_linked(beats), options), beats);
}
std::string s_runs(const ListedForTest& beats, const BeatRunOptions& options = {}) {
  return labelled(supraventricular_runs(beats.view(), all_linked(beats), options), beats);
}
std::string cycles(const ListedForTest& beats, const BeatRunOptions& options = {}) {
  return labelled(alternating_beats(beats.view(), all_linked(beats), options), beats);
}

TEST(BeatRuns, ByNumberOfBeats) {
  EXPECT_EQ(v_runs(beats_of("NVNVVNVVVN", 0.5)), "V2 3-4, VT 6-8");
  EXPECT_EQ(v_runs(beats_of("VV", 0.5)), "V2 0-1");
  EXPECT_EQ(v_runs(beats_of("NSVSVN", 0.5)), "");
  EXPECT_EQ(v_runs(beats_of("", 0.5)), "");
  EXPECT_EQ(v_runs(beats_of("V", 0.5)), "");
  EXPECT_EQ(v_runs(beats_of("VVVV", 0.5), {.least_beats = 5}), "") << "four are neither two nor five";
}

// 100 a minute is not faster than 100 a minute.
TEST(BeatRuns, ByRate) {
  EXPECT_EQ(v_runs(beats_of("NVVVN", 0.6)), "IVR 1-3");
  EXPECT_EQ(v_runs(beats_of("NVVVN", 0.59)), "VT 1-3");
  EXPECT_EQ(v_runs(beats_of("NVVVN", 0.6), {.vt_rate_bpm = 99}), "VT 1-3");
  EXPECT_EQ(s_runs(beats_of("NSSSN", 0.59)), "SVT 1-3");
  EXPECT_EQ(s_runs(beats_of("NSSSN", 0.6)), "");
  EXPECT_EQ(s_runs(beats_of("NSSN", 0.4)), "") << "two are no run";
}

// The interval before the run does not count: an early first beat makes no run faster.
TEST(BeatRuns, TheRateIsOfTheIntervalsWithin) {
  ListedForTest beats = beats_of("NN", 0.8);
  beats.add('V', 0.3);
  beats.add("VV", 0.7);
  EXPECT_EQ(v_runs(beats), "IVR 2-4");
}

// A pause within a run does not hide the tachycardia before it.
TEST(BeatRuns, ATachycardiaWithinASlowRunIsReported) {
  ListedForTest beats = beats_of("N", 0.8);
  beats.add("VVV", 0.4);
  beats.add("V", 1.5);
  EXPECT_EQ(v_runs(beats), "VT 1-3");
  beats.add("VV", 1.0);
  EXPECT_EQ(v_runs(beats), "VT 1-3, IVR 4-6");
  beats.add("VVV", 0.45);  // the first follows a slow beat at 0.45 s, too
  beats.add("V", 1.2);
  EXPECT_EQ(v_runs(beats), "VT 1-3, VT 6-9") << "two beats between them are no run";
  EXPECT_EQ(v_runs(beats, {.least_beats = 4}), "IVR 1-5, VT 6-9");
  EXPECT_EQ(v_runs(beats, {.part_ratio = 4}), "IVR 1-10") << "the intervals beside are not four times as long";
  EXPECT_EQ(v_runs(beats, {.part_ratio = 1}), "IVR 1-10") << "never";
}

TEST(BeatRuns, BeatsBesideATachycardiaWithinASlowRunAreReportedByTheirRate) {
  ListedForTest slow_first = beats_of("NVVVV", 1.0);
  slow_first.add("VVV", 0.4);
  EXPECT_EQ(v_runs(slow_first), "IVR 1-3, VT 4-7") << "the last slow beat begins it";
  ListedForTest uneven = beats_of("NV", 1.0);
  uneven.add('V', 0.3);
  uneven.add('V', 0.5);
  uneven.add('V', 1.5);
  EXPECT_EQ(v_runs(uneven), "IVR 1-4") << "the fast beats are not even";
  uneven.add("VV", 0.4);
  uneven.add('V', 1.5);
  EXPECT_EQ(v_runs(uneven), "VT 1-3, VT 4-6");
}

TEST(BeatRuns, ATachycardiaWithinASlowRunHasLongerIntervalsBeside) {
  for (const bool longer : {false, true}) {
    ListedForTest beats = beats_of("NVVV", 0.5);
    beats.add('V', longer ? 0.625 : 0.62);
    beats.add("VVVV", 1.5);
    EXPECT_EQ(v_runs(beats), longer ? "VT 1-3, IVR 4-8" : "IVR 1-8");
  }
}

TEST(BeatRuns, IntervalsThatScatterAroundTheLimitAreOneRun) {
  ListedForTest beats = beats_of("NV", 0.8);
  beats.add("VV", 0.58);
  beats.add("VV", 0.7);
  EXPECT_EQ(v_runs(beats), "IVR 1-5");
  ListedForTest interpolated = beats_of("NVVV", 0.95);
  interpolated.add("V", 0.4);
  interpolated.add("V", 0.55);
  interpolated.add("VV", 0.95);
  EXPECT_EQ(v_runs(interpolated), "IVR 1-7") << "a beat between two others";
}

TEST(BeatRuns, AnIntervalThatIsNotKnownEndsARun) {
  ListedForTest beats = beats_of("NVVVVN", 0.5);
  beats.broken[2] = 1;
  EXPECT_EQ(v_runs(beats), "V2 1-2, V2 3-4");
  EXPECT_EQ(v_runs(beats_of("VVV", 3.01)), "") << "beats 3 s apart are in no row";
  EXPECT_EQ(v_runs(beats_of("VVV", 3)), "IVR 0-2");
}

TEST(BeatRuns, PoorSignalIsReported) {
  ListedForTest beats = beats_of("NVVVVN", 0.5);
  beats.quality[2] = Quality::noisy;
  const auto found = ventricular_runs(beats.view(), all_linked(beats), {});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].quality, Quality::noisy);
  EXPECT_EQ(found[0].confidence, 0.75);
  EXPECT_EQ(found[0].beats, 4);
}

TEST(BeatRuns, HaveTheProbabilityOfTheirClasses) {
  const ListedForTest beats = beats_of("NVVVN", 0.5);
  RhythmBeats view = beats.view();
  const std::vector<float> posteriors = {1,    0, 0, 0, 0.1f,  0,     0.9f, 0, 0.4f, 0,
                                         0.6f, 0, 0, 0, 0.75f, 0.25f, 1,    0, 0,    0};
  view.posteriors = posteriors;
  const auto runs = ventricular_runs(view, all_linked(beats), {});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_NEAR(runs[0].confidence, (0.9 + 0.6 + 0.75) / 3, 1e-6);
}

// Bigeminy reaches from the beat before the first V to the beat after the last.
TEST(Alternating, ByHand) {
  EXPECT_EQ(cycles(beats_of("NNVNVNVNN", 0.5)), "B 1-7");
  EXPECT_EQ(cycles(beats_of("VNVNV", 0.5)), "B 0-4") << "from the first beat to the last";
  EXPECT_EQ(cycles(beats_of("NVNNVNNVN", 0.5)), "T 0-8");
  EXPECT_EQ(cycles(beats_of("NVNVNN", 0.5)), "") << "two V are too few";
  EXPECT_EQ(cycles(beats_of("NVNVNN", 0.5), {.least_cycles = 2}), "B 0-4");
  EXPECT_EQ(cycles(beats_of("", 0.5)) + cycles(beats_of("V", 0.5)), "");
}

TEST(Alternating, OneAfterTheOther) {
  EXPECT_EQ(cycles(beats_of("NVNVNVNNVNNVN", 0.5)), "B 0-6, T 4-12");
  EXPECT_EQ(cycles(beats_of("NVNVVNVN", 0.5)), "") << "a couplet lies between";
  EXPECT_EQ(cycles(beats_of("NVSVSVN", 0.5)), "") << "only N count between V";
}

TEST(Alternating, EndsWhereAnIntervalIsNotKnown) {
  ListedForTest beats = beats_of("NVNVNVNVNVN", 0.5);
  beats.broken[5] = 1;
  EXPECT_EQ(cycles(beats), "B 0-5");
}

}  // namespace
}  // namespace beatscan
