#include "app/revision/revised_beats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace beatscan {
namespace {

// Twenty N a second apart at 100 Hz, from sample 50 on, in silence between them. Templates: the even beats have 0, the
// odd ones 1.
class RevisedBeatsTest : public testing::Test {
 protected:
  static constexpr int kBeats = 20;
  RevisedBeatsTest() {
    rhythm_.sample_rate_hz = 100, rhythm_.samples = 2000;
    for (int i = 0; i < kBeats; ++i) {
      rhythm_.r_peaks.push_back(50 + 100 * i);
      templates_.push_back(static_cast<std::int16_t>(i % 2));
      rhythm_.posteriors.insert(rhythm_.posteriors.end(), {0.9F, 0.05F, 0.05F, 0});
    }
    rhythm_.beat_classes.assign(kBeats, BeatClass::normal);
    rhythm_.quality.assign(kBeats, Quality::good);
    rhythm_.paced.assign(kBeats, 0);
    rhythm_.broken.assign(kBeats - 1, 0);
    rhythm_.evidence.silent.assign(kBeats - 1, 0);
    rhythm_.evidence.certain.assign(kBeats - 1, 1);
    rhythm_.rhythms = {{"NSR", "AFIB"}, {0, 1}, {{0, 20, 0, 0.9}}};
  }
  RevisedBeats revised(const Corrections& corrections) {
    return revised_beats({rhythm_, templates_, {BeatClass::normal, BeatClass::normal}}, corrections);
  }
  std::vector<EpisodeLabel> labels(const Corrections& corrections) {
    auto beats = revised(corrections);
    std::vector<EpisodeLabel> found;
    for (const Episode& episode : revised_rhythm(beats, corrections, {}).episodes.list) found.push_back(episode.label);
    unmatched_ = beats.unmatched;
    return found;
  }
  StoredRhythm rhythm_;
  std::vector<std::int16_t> templates_;
  std::vector<std::string> unmatched_;
};

TEST_F(RevisedBeatsTest, AreTheSameWithoutCorrections) {
  const auto same = revised({});
  EXPECT_EQ(same.rhythm.r_peaks, rhythm_.r_peaks);
  EXPECT_EQ(same.rhythm.posteriors, rhythm_.posteriors);
  EXPECT_EQ(same.rhythm.broken, rhythm_.broken);
  EXPECT_EQ(same.rhythm.evidence.silent, rhythm_.evidence.silent);
  EXPECT_TRUE(labels({}).empty());
}

TEST_F(RevisedBeatsTest, ReclassifyTheNearestBeat) {
  const auto found = revised({.beats = {{3.55, BeatAction::reclassify, BeatClass::ventricular}}});
  EXPECT_EQ(found.rhythm.beat_classes[3], BeatClass::ventricular);
  EXPECT_EQ(std::ranges::count(found.is_corrected, 1), 1);
  EXPECT_EQ(found.has_template[3], 0);
  EXPECT_EQ(found.rhythm.posteriors[3 * kPosteriorClasses + kClassV], 1);
  EXPECT_EQ(found.counts.reclassified, 1);
}

TEST_F(RevisedBeatsTest, MakeARunOfThreeAnEpisode) {
  rhythm_.r_peaks[6] -= 50, rhythm_.r_peaks[7] -= 100, rhythm_.r_peaks[8] -= 100;  // at 120 a minute and more
  Corrections corrections;
  for (const double time_s : {5.5, 6.0, 6.5})
    corrections.beats.push_back({time_s, BeatAction::reclassify, BeatClass::ventricular});
  EXPECT_EQ(labels(corrections), std::vector{EpisodeLabel::ventricular_tachycardia});
}

TEST_F(RevisedBeatsTest, JoinTheIntervalsBesideADeletedBeat) {
  rhythm_.broken[4] = 1;
  auto found = revised({.beats = {{5.5, BeatAction::remove, {}}}});
  ASSERT_EQ(found.rhythm.beats(), kBeats - 1);
  EXPECT_EQ(found.origin[5], 6);
  EXPECT_EQ(found.rhythm.broken[4], 1);  // one of the two was not known
  EXPECT_EQ(std::ranges::count(found.rhythm.broken, 1), 1);
}

// The intervals beside the beat were too short to be looked at, and the reader says that nothing is there.
TEST_F(RevisedBeatsTest, ShowAPauseWhereTheBeatWasNone) {
  for (int i = 6; i < kBeats; ++i) rhythm_.r_peaks[i] += 20;  // 2.2 s from beat 4 to beat 6
  EXPECT_EQ(labels({.beats = {{5.5, BeatAction::remove, {}}}}), std::vector{EpisodeLabel::pause});
}

TEST_F(RevisedBeatsTest, PutAnInsertedBeatInItsPlace) {
  auto found = revised({.beats = {{5.9, BeatAction::insert, BeatClass::supraventricular}}});
  ASSERT_EQ(found.rhythm.beats(), kBeats + 1);
  EXPECT_EQ(found.origin[6], -1);
  EXPECT_EQ(found.rhythm.r_peaks[6], 590);
  EXPECT_EQ(found.rhythm.beat_classes[6], BeatClass::supraventricular);
  EXPECT_EQ(std::ssize(found.rhythm.broken), kBeats);
}

// What was inserted can be corrected and deleted later, and is not taken for the beat beside it.
TEST_F(RevisedBeatsTest, ChangeAnInsertedBeat) {
  const BeatCorrection insert{5.6, BeatAction::insert, BeatClass::normal};
  const auto changed = revised({.beats = {insert, {5.6, BeatAction::reclassify, BeatClass::ventricular}}});
  EXPECT_EQ(changed.rhythm.beat_classes[5], BeatClass::normal);
  EXPECT_EQ(changed.rhythm.beat_classes[6], BeatClass::ventricular);
  EXPECT_EQ(revised({.beats = {insert, {5.6, BeatAction::remove, {}}}}).rhythm.r_peaks, rhythm_.r_peaks);
}

TEST_F(RevisedBeatsTest, CorrectAWholeTemplate) {
  for (const TemplateCorrection& its :
       {TemplateCorrection{1.5, {}, BeatClass::ventricular}, {{}, 1, BeatClass::ventricular}}) {
    const auto found = revised({.templates = {its}});
    EXPECT_EQ(std::ranges::count(found.rhythm.beat_classes, BeatClass::ventricular), kBeats / 2);
    EXPECT_EQ(found.template_classes[1], BeatClass::ventricular);
    EXPECT_EQ(std::ranges::count(found.has_template, 1), kBeats);
  }
}

TEST_F(RevisedBeatsTest, AreNoisyInMarkedStretches) {
  const Corrections corrections{.noise = {{2, 6}}};
  EXPECT_EQ(std::ranges::count(revised(corrections).rhythm.quality, Quality::noisy), 4);
  EXPECT_EQ(labels(corrections), std::vector{EpisodeLabel::noise});
}

TEST_F(RevisedBeatsTest, TakeWhatTheReaderSaysOfRhythms) {
  const Corrections added{.episodes = {{EpisodeLabel::atrial_fibrillation, 5, 15, Verdict::added}}};
  auto beats = revised(added);
  const auto found = revised_rhythm(beats, added, {});
  ASSERT_EQ(found.episodes.list.size(), 1U);
  EXPECT_EQ(found.af.afib_s, 10);
  EXPECT_EQ(found.hrv.intervals, 8);  // those in atrial fibrillation are no NN

  rhythm_.rhythms.segments = {{0, 8, 0, 0.9}, {8, 20, 1, 0.7}};
  EXPECT_EQ(labels({}), std::vector{EpisodeLabel::atrial_fibrillation});
  const Corrections rejected{.episodes = {{EpisodeLabel::atrial_fibrillation, 8, 20, Verdict::rejected}}};
  EXPECT_TRUE(labels(rejected).empty());
  const Corrections confirmed{.episodes = {{EpisodeLabel::atrial_fibrillation, 8.001, 19.999, Verdict::confirmed}}};
  beats = revised(confirmed);
  EXPECT_EQ(revised_rhythm(beats, confirmed, {}).episodes.list.at(0).confidence, 1);
}

// A reader moves the limits of an episode: it is rejected, and added with others.
TEST_F(RevisedBeatsTest, AddWhereAnEpisodeWasRejected) {
  rhythm_.rhythms.segments = {{0, 8, 0, 0.9}, {8, 20, 1, 0.7}};
  const Corrections moved{.episodes = {{EpisodeLabel::atrial_fibrillation, 8, 20, Verdict::rejected},
                                       {EpisodeLabel::atrial_fibrillation, 5, 12, Verdict::added}}};
  auto beats = revised(moved);
  const auto found = revised_rhythm(beats, moved, {});
  ASSERT_EQ(found.episodes.list.size(), 1U);
  EXPECT_EQ(found.episodes.list[0].start, 500);
  EXPECT_EQ(found.af.afib_s, 7);
  EXPECT_EQ(beats.counts.episodes, 2);
}

TEST_F(RevisedBeatsTest, CutWhatTheSignalShows) {
  rhythm_.evidence.episodes = {{.start = 200, .end = 1000, .label = EpisodeLabel::ventricular_fibrillation}};
  const Corrections part{.episodes = {{EpisodeLabel::ventricular_fibrillation, 4, 5, Verdict::rejected}}};
  auto beats = revised(part);
  const auto found = revised_rhythm(beats, part, {}).episodes.list;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].end, 400);
  EXPECT_EQ(found[1].start, 500);
  labels({.episodes = {{EpisodeLabel::ventricular_fibrillation, 12, 13, Verdict::rejected}}});
  EXPECT_EQ(unmatched_, std::vector<std::string>{"no episode VF at 12 s"});
}

TEST_F(RevisedBeatsTest, HaveNoRhythmInNoise) {
  rhythm_.rhythms = {{"NSR", "AFIB", "NOISE"}, {0, 1, 0}, {{0, 20, 1, 0.9}}};
  const Corrections corrections{.noise = {{0, 10}}};
  auto beats = revised(corrections);
  const auto found = revised_rhythm(beats, corrections, {});
  EXPECT_EQ(found.af.afib_s, 10);
  EXPECT_EQ(found.af.assessed_s, 10);
}

TEST_F(RevisedBeatsTest, NameCorrectionsThatNothingAnswersTo) {
  labels({.beats = {{30, BeatAction::reclassify, BeatClass::normal},
                    {5.5, BeatAction::insert, BeatClass::normal},
                    {25, BeatAction::insert, BeatClass::normal}},
          .templates = {{{}, 9, BeatClass::normal}},
          .noise = {{30, 40}},
          .episodes = {{EpisodeLabel::ventricular_tachycardia, 1, 2, Verdict::added},
                       {EpisodeLabel::pause, 1, 2, Verdict::confirmed}}});
  const std::vector<std::string> expected = {"no template 9",
                                             "no beat at 30 s",
                                             "a beat is there already at 5.5 s",
                                             "the recording has ended at 25 s",
                                             "the recording has ended at 30 s",
                                             "VT at 1 s follows from beats; correct their classes",
                                             "no episode PAUSE at 1 s"};
  EXPECT_EQ(unmatched_, expected);
}

}  // namespace
}  // namespace beatscan
