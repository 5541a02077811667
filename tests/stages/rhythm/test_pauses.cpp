#include "stages/rhythm/runs.h"

#include <gtest/gtest.h>

#include "stages/rhythm/episode.h"
#include "tests/stages/rhythm/listed_beats.h"

namespace beatscan {
namespace {

std::string found_pauses(const ListedForTest& beats, const SignalEvidence* evidence = nullptr) {
  return labelled(pauses(beats.view(), IntervalFlags(beats.broken.size()), evidence, {}, beats.samples()), beats);
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
  EXPECT_EQ(labelled(pauses(beats.view(), {1, 0}, nullptr, {}, 0), beats), "PAUSE 1-2");
}

// A silent interval that looks like an electrode which came off is reported with low confidence, as of poor signal.
TEST(Pauses, ThatMayBeAnElectrodeAreReported) {
  const ListedForTest beats = beats_of("NNN", 5);
  const SignalEvidence evidence{.episodes = {}, .silent = {1, 1}, .certain = {0.25F, 0.5F}};
  const auto found = pauses(beats.view(), {0, 0}, &evidence, {}, beats.samples());
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[1].label, EpisodeLabel::asystole);
  EXPECT_EQ(found[1].confidence, 0.25);
  EXPECT_EQ(found[1].quality, Quality::noisy);
  EXPECT_EQ(found[2].confidence, 0.5);
  EXPECT_EQ(found[2].quality, Quality::good);
}

// Before the first beat and after the last one the heart may stand still, too. One beat speaks for it.
TEST(Pauses, AtTheEndsOfTheRecording) {
  ListedForTest beats = beats_of("NNN", 1);
  for (double& at : beats.r_peaks) at += 401;
  SignalEvidence evidence{.episodes = {}, .silent = {0, 0}, .certain_start = 1, .certain_end = 1};
  const auto found = pauses(beats.view(), {0, 0}, &evidence, {}, beats.r_peaks.back() + 401);
  ASSERT_EQ(found.size(), 2U);
  for (const Episode& episode : found) {
    EXPECT_EQ(episode.label, EpisodeLabel::asystole);
    EXPECT_EQ(episode.end - episode.start, 401);
    EXPECT_EQ(episode.confidence, 0.5);
  }
  EXPECT_EQ(found[0].start, 0);
  EXPECT_EQ(pauses(beats.view(), {0, 0}, &evidence, {}, beats.r_peaks.back() + 400).size(), 1U) << "4 s are not enough";
  evidence.certain_start = evidence.certain_end = 0;
  EXPECT_EQ(pauses(beats.view(), {0, 0}, &evidence, {}, 2000).size(), 0U) << "it is not silent there";
}

TEST(Pauses, PoorSignalIsReported) {
  ListedForTest beats = beats_of("NN", 3);
  beats.quality[1] = Quality::clipped;
  const auto found = pauses(beats.view(), {0}, nullptr, {}, 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].confidence, 0.5);
  EXPECT_EQ(found[0].quality, Quality::clipped);
}

}  // namespace
}  // namespace beatscan
