#include "stages/rhythm/episodes.h"

#include <algorithm>

#include "stages/rhythm/episode.h"
#include "tests/stages/rhythm/listed_beats.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

template <class Context>
class EpisodesOf : public OnBackend<Context> {
 protected:
  Episodes found(const ListedForTest& beats, const SignalEvidence* evidence = nullptr, const Rhythms& rhythms = {}) {
    return episodes_of(this->context(), beats.view(), evidence, rhythms, beats.samples(), {});
  }
  std::string text(const ListedForTest& beats, const SignalEvidence* evidence = nullptr) {
    return labelled(found(beats, evidence).list, beats);
  }
};
TYPED_TEST_SUITE(EpisodesOf, Backends, BackendNames);

TYPED_TEST(EpisodesOf, NoneAndOneBeat) {
  EXPECT_EQ(this->text({}), "");
  EXPECT_EQ(this->text(beats_of("V", 1)), "");
  EXPECT_TRUE(this->found({}).af_assessed.empty());
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

// Rates lose confidence as far as they lie in noise.
TYPED_TEST(EpisodesOf, ARateInNoiseIsUncertain) {
  const ListedForTest beats = beats_of(std::string(101, 'N'), 0.5);
  const SignalEvidence evidence{{{.start = 0, .end = 3750, .label = EpisodeLabel::noise}},
                                std::vector<std::uint8_t>(100)};
  const auto list = this->found(beats, &evidence).list;
  const auto rate = std::ranges::find(list, EpisodeLabel::tachycardia, &Episode::label);
  ASSERT_NE(rate, list.end());
  EXPECT_DOUBLE_EQ(rate->confidence, 0.25);
  EXPECT_EQ(rate->quality, Quality::noisy);
}

// Probabilities of classes know of noise already.
TYPED_TEST(EpisodesOf, ARunInNoiseKeepsTheProbabilityOfItsClasses) {
  const ListedForTest listed = beats_of("NNNVVVNN", 0.5);
  RhythmBeats beats = listed.view();
  std::vector<float> posteriors;
  for (const BeatClass beat_class : listed.beat_classes)
    for (int c = 0; c < kPosteriorClasses; ++c)
      posteriors.push_back(c == (beat_class == BeatClass::ventricular ? kClassV : kClassN) ? 0.8F : 0.1F);
  beats.posteriors = posteriors;
  const SignalEvidence evidence{{{.start = 150, .end = 300, .label = EpisodeLabel::noise}},
                                std::vector<std::uint8_t>(7)};
  const auto list = episodes_of(this->context(), beats, &evidence, {}, listed.samples(), EpisodeOptions{}).list;
  const auto run = std::ranges::find(list, EpisodeLabel::ventricular_tachycardia, &Episode::label);
  ASSERT_NE(run, list.end());
  EXPECT_NEAR(run->confidence, 0.8, 1e-6);
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

// The model's rhythms begin and end halfway between beats, and are cut where the signal shows that there is none.
TYPED_TEST(EpisodesOf, TheModelsRhythms) {
  const ListedForTest beats = beats_of("NNNNNNNNNN", 1);
  for (const auto& [state, label] : {std::pair{"AFIB", EpisodeLabel::atrial_fibrillation},
                                     {"AFL", EpisodeLabel::atrial_flutter},
                                     {"WENCKEBACH", EpisodeLabel::wenckebach},
                                     {"JUNCTIONAL", EpisodeLabel::junctional_rhythm},
                                     {"SUDDEN_BRADY", EpisodeLabel::sudden_bradycardia},
                                     {"NOISE", EpisodeLabel::noise}}) {
    const auto list = this->found(beats, nullptr, rhythms_of(state, 2.5, 7.5, 10)).list;
    ASSERT_EQ(list.size(), 1U) << state;
    EXPECT_EQ(list[0].label, label);
    EXPECT_EQ(list[0].start, 250);
    EXPECT_EQ(list[0].end, 750);
    EXPECT_EQ(list[0].beats, 5);
    EXPECT_EQ(list[0].confidence, 0.8);
  }
  auto undecided = rhythms_of("AFIB", 2.5, 7.5, 10);
  undecided.decides = {0, 0};
  EXPECT_TRUE(this->found(beats, nullptr, undecided).list.empty());
  const SignalEvidence gap{{{.start = 400, .end = 500, .label = EpisodeLabel::gap}}, std::vector<std::uint8_t>(9)};
  const auto cut = this->found(beats, &gap, rhythms_of("AFIB", 2.5, 7.5, 10));
  EXPECT_EQ(spans_with(cut.list, EpisodeLabel::atrial_fibrillation).size(), 2U);
  ASSERT_EQ(cut.af_assessed.size(), 2U);
  EXPECT_EQ(cut.af_assessed[0].end, 400);
  EXPECT_EQ(cut.af_assessed[1].end, 1000);
}

// A label is the model's or the definition's.
TYPED_TEST(EpisodesOf, TheModelDecidesInPlaceOfADefinition) {
  const ListedForTest beats = beats_of("NNNVVVNN", 0.5);
  EXPECT_EQ(this->text(beats), "VT 3-5");
  EXPECT_TRUE(this->found(beats, nullptr, {{"NSR", "VT"}, {0, 1}, {{0, 4, 0, 0.9}}}).list.empty());
  const auto list = this->found(beats, nullptr, rhythms_of("VT", 1, 2, 4)).list;
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].start, 100);
}

// The beats of a tachycardia are no slow rhythm, too.
TYPED_TEST(EpisodesOf, NoSlowRunInTheModelsTachycardia) {
  const ListedForTest beats = beats_of("NNNVVVNNNN", 0.8);
  EXPECT_EQ(this->text(beats), "IVR 3-5");
  const auto list = this->found(beats, nullptr, rhythms_of("VT", 1.8, 4.4, 8)).list;
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].label, EpisodeLabel::ventricular_tachycardia);
}

TYPED_TEST(EpisodesOf, AtrialFibrillationIsNotReportedInNoise) {
  const auto assessed = this->found(beats_of("NNNNNNNNNN", 1), nullptr, rhythms_of("NOISE", 2.5, 7.5, 10)).af_assessed;
  ASSERT_EQ(assessed.size(), 2U);
  EXPECT_EQ(assessed[0].end, 250);
  EXPECT_EQ(assessed[1].start, 750);
}

// Beats in the model's fibrillation do not count.
TYPED_TEST(EpisodesOf, NothingElseInTheModelsVentricularFibrillation) {
  const auto found = this->found(beats_of("NNVVVVNN", 0.5), nullptr, rhythms_of("VF", 0.75, 3, 4));
  ASSERT_EQ(found.list.size(), 1U);
  EXPECT_EQ(found.list[0].label, EpisodeLabel::ventricular_fibrillation);
  EXPECT_EQ(found.hidden, (IntervalFlags{0, 1, 1, 1, 1, 1, 0}));
}

// In atrial fibrillation premature beats look like S.
TYPED_TEST(EpisodesOf, NoSvtInAtrialFibrillation) {
  const ListedForTest beats = beats_of("NNNSSSSNNN", 0.5);
  EXPECT_EQ(this->text(beats), "SVT 3-6");
  for (const char* state : {"AFIB", "AFL"}) {
    const auto list = this->found(beats, nullptr, rhythms_of(state, 0, 4, 5)).list;
    EXPECT_EQ(std::ranges::count(list, EpisodeLabel::supraventricular_tachycardia, &Episode::label), 0) << state;
  }
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
