#include "stages/episodes/episodes.h"

#include <algorithm>

#include "stages/episodes/episode_options.h"
#include "tests/stages/episodes/listed_beats.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

template <class Context>
class EpisodesOf : public OnBackend<Context> {
 protected:
  Episodes found(const ListedForTest& beats, const SignalEvidence* evidence = nullptr) {
    return episodes_of(this->context(), beats.view(), evidence, beats.samples(), {});
  }
  std::string text(const ListedForTest& beats, const SignalEvidence* evidence = nullptr) {
    return told(found(beats, evidence).list, beats);
  }
};
TYPED_TEST_SUITE(EpisodesOf, Backends, BackendNames);

TYPED_TEST(EpisodesOf, NoneAndOneBeat) {
  EXPECT_EQ(this->text({}), "");
  EXPECT_EQ(this->text(beats_of("V", 1)), "");
  EXPECT_TRUE(this->found({}).af_told.empty());
}

// Episodes stand in order of their starts, the longer first.
TYPED_TEST(EpisodesOf, InOrderOfTime) {
  ListedForTest beats = beats_of("NNNVVVNN", 0.5);
  beats.add('N', 5);
  beats.add("VVN", 0.7);
  EXPECT_EQ(this->text(beats), "VT 3-5, PAUSE 7-8, ASYS 7-8, V2 9-10");
}

// The signal's episodes are listed, with the beats in them.
TYPED_TEST(EpisodesOf, TheSignalsEpisodesAreMerged) {
  const ListedForTest beats = beats_of("NNNVVVNN", 0.5);
  SignalEvidence evidence{{{.start = 60, .end = 110, .label = EpisodeLabel::noise, .quality = Quality::noisy}},
                          std::vector<std::uint8_t>(7)};
  const auto list = this->found(beats, &evidence).list;
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].label, EpisodeLabel::noise);
  EXPECT_EQ(list[0].beats, 1);
  EXPECT_EQ(list[0].quality, Quality::noisy);
  EXPECT_EQ(list[1].label, EpisodeLabel::ventricular_tachycardia);
}

// A rule on beats loses confidence as far as it lies in noise.
TYPED_TEST(EpisodesOf, ARunInNoiseIsDoubtful) {
  const ListedForTest beats = beats_of("NNNVVVNN", 0.5);  // the run is from 150 to 250
  const auto run = [&](double noise_from) {
    const SignalEvidence evidence{{{.start = noise_from, .end = 300, .label = EpisodeLabel::noise}},
                                  std::vector<std::uint8_t>(7)};
    const auto list = this->found(beats, &evidence).list;
    return *std::ranges::find(list, EpisodeLabel::ventricular_tachycardia, &Episode::label);
  };
  EXPECT_DOUBLE_EQ(run(200).confidence, 0.5);
  EXPECT_EQ(run(200).quality, Quality::good);
  EXPECT_DOUBLE_EQ(run(175).confidence, 0.25);
  EXPECT_EQ(run(175).quality, Quality::noisy);
}

// Probabilities of classes know of noise already.
TYPED_TEST(EpisodesOf, ARunInNoiseKeepsTheProbabilityOfItsClasses) {
  const ListedForTest listed = beats_of("NNNVVVNN", 0.5);
  RhythmBeats beats = listed.view();
  std::vector<float> posteriors;
  for (const Kind kind : listed.kinds)
    for (int c = 0; c < kBeatClasses; ++c)
      posteriors.push_back(c == (kind == Kind::ventricular ? kClassV : kClassN) ? 0.8F : 0.1F);
  beats.posteriors = posteriors;
  const SignalEvidence evidence{{{.start = 150, .end = 300, .label = EpisodeLabel::noise}},
                                std::vector<std::uint8_t>(7)};
  const auto list = episodes_of(this->context(), beats, &evidence, listed.samples(), EpisodeOptions{}).list;
  const auto run = std::ranges::find(list, EpisodeLabel::ventricular_tachycardia, &Episode::label);
  ASSERT_NE(run, list.end());
  EXPECT_NEAR(run->confidence, 0.8, 1e-6);
  EXPECT_EQ(run->quality, Quality::noisy);
}

// Waves below regular beats are no fibrillation, but noise.
TYPED_TEST(EpisodesOf, ATremorBelowRegularBeatsIsNoise) {
  const ListedForTest beats = beats_of("NNNNNNNNNNNNNNNNNNNN", 0.8);
  const SignalEvidence evidence{{{.start = 0, .end = 1500, .label = EpisodeLabel::ventricular_fibrillation}},
                                std::vector<std::uint8_t>(19)};
  const auto list = this->found(beats, &evidence).list;
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].label, EpisodeLabel::noise);
  EXPECT_EQ(list[0].quality, Quality::noisy);
}

// Deflections in VF that look like beats are no beats.
TYPED_TEST(EpisodesOf, NothingElseInVentricularFibrillation) {
  ListedForTest beats = beats_of("NNVVVVNN", 0.5);
  beats.add('N', 3);
  for (const EpisodeLabel label : {EpisodeLabel::ventricular_fibrillation, EpisodeLabel::ventricular_flutter}) {
    SignalEvidence evidence{{{.start = 120, .end = 600, .label = label}}, std::vector<std::uint8_t>(8, 1)};
    const auto found = this->found(beats, &evidence);
    ASSERT_EQ(found.list.size(), 1U);
    EXPECT_EQ(found.list[0].label, label);
    EXPECT_EQ(found.hidden, (IntervalFlags{0, 0, 1, 1, 1, 1, 1, 1}));
  }
}

// In atrial fibrillation early beats look like S.
TYPED_TEST(EpisodesOf, NoSvtInAtrialFibrillation) {
  ListedForTest beats;
  add_irregular(beats, 300, 1);
  for (int i = 100; i < 110; ++i) beats.kinds[i] = Kind::supraventricular;
  EXPECT_EQ(this->text(beats), "AFIB 0-299");
  EXPECT_EQ(this->text(beats_of("NSSSSN", 0.5)), "SVT 1-4");
}

// An interval above longest_rr_s is no part of a run, but beats as slow as that are slow.
TYPED_TEST(EpisodesOf, LongIntervalsCountInTheRate) {
  const ListedForTest beats = beats_of("NNN", 4);
  const Episode whole{.start = 0, .end = 800, .label = EpisodeLabel::atrial_fibrillation};
  EXPECT_DOUBLE_EQ(*rate_of(whole, beats.view(), this->found(beats).hidden), 15);
}

TYPED_TEST(EpisodesOf, Rates) {
  ListedForTest beats = beats_of("NNVVVNN", 0.5);
  beats.broken[3] = 1;
  const auto found = this->found(beats);
  const Episode whole{.start = 0, .end = 300, .label = EpisodeLabel::tachycardia};
  EXPECT_DOUBLE_EQ(*rate_of(whole, beats.view(), found.hidden), 120);
  const Episode gap{.start = 0, .end = 300, .label = EpisodeLabel::gap};
  EXPECT_FALSE(rate_of(gap, beats.view(), found.hidden).has_value());
  const Episode between{.start = 160, .end = 190, .label = EpisodeLabel::tachycardia};
  EXPECT_FALSE(rate_of(between, beats.view(), found.hidden).has_value());
}

TYPED_TEST(EpisodesOf, BadShapesThrow) {
  ListedForTest beats = beats_of("NNN", 1);
  const SignalEvidence evidence{{}, {0}};
  EXPECT_THROW_KIND(this->found(beats, &evidence), ErrorKind::internal);
  beats.broken.pop_back();
  EXPECT_THROW_KIND(this->found(beats), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
