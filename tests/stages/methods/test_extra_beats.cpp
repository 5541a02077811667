#include "stages/methods/extra_beats.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "stages/beats/detect_options.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/quality/quality_options.h"
#include "tests/support/backends.h"
#include "tests/support/drawn_lead.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

using Beats = std::vector<std::int64_t>;

// Returns R peaks at multiples of 100, and others.
std::vector<double> regular_and(std::vector<double> others) {
  for (int i = 0; i < 30; ++i) others.push_back(100 * i);
  std::ranges::sort(others);
  return others;
}

TEST(BeatsBetween, AreThoseThatARegularRhythmDoesWithout) {
  EXPECT_EQ(beats_between(regular_and({})), Beats{});
  EXPECT_EQ(beats_between(regular_and({1040})), Beats{11});
  EXPECT_EQ(beats_between(regular_and({1040, 2050})), (Beats{11, 22}));
  EXPECT_EQ(beats_between(std::vector<double>{0, 100, 140, 200, 300}), Beats{2}) << "the fewest beats that tell";
  EXPECT_EQ(beats_between(std::vector<double>{0, 100, 140, 200}), Beats{});
  EXPECT_EQ(beats_between({}), Beats{});
}

TEST(BeatsBetween, AreNoEarlyBeatsWithAPause) {
  auto r_peaks = regular_and({});
  r_peaks[10] -= 40;  // 60 before it, 140 after it
  EXPECT_EQ(beats_between(r_peaks), Beats{});
}

TEST(BeatsBetween, AreNoTachycardia) {
  EXPECT_EQ(beats_between(regular_and({1050, 1150, 1250, 1350})), Beats{});
  EXPECT_EQ(beats_between(regular_and({1033, 1066})), Beats{}) << "two in a row";
}

// A missing beat, and two steps around its place: either step would do in the place of the beat.
TEST(BeatsBetween, AreNotTwoInARow) {
  auto r_peaks = regular_and({572, 628});
  std::erase(r_peaks, 600);
  EXPECT_EQ(beats_between(r_peaks), Beats{});
}

TEST(BeatsBetween, AreNotAskedForInAnIrregularRhythm) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> interval(60, 140);
  std::vector<double> r_peaks;
  for (double at = 0; r_peaks.size() < 40; at += interval(random)) r_peaks.push_back(at);
  EXPECT_EQ(beats_between(r_peaks), Beats{});
}

constexpr int kExtraRate_hz = 360;

// Draws a beat each second, from 1 s on, on a line with noise of 5 uV.
DrawnLead beats_in_noise(unsigned seed) {
  DrawnLead lead{kExtraRate_hz};
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 0.005F);
  for (float& value : lead.x) value = noise(random);
  for (int beat = 1; beat < 60; ++beat) lead.add(beat, 1, 0.012), lead.add(beat + 0.03, -0.3, 0.012);
  return lead;
}

template <class Context>
class ExtraBeats : public OnBackend<Context> {
 protected:
  // Finds the beats of two leads. Returns the seconds of what was left out, and checks how many beats there are.
  std::vector<double> left_out(const DrawnLead& first, const DrawnLead& second, std::int64_t beats) {
    const auto recording = recording_of_leads(this->context(), {first.x, second.x});
    const auto found = detect_beats(this->context(), recording, {}, {}, kExtraRate_hz);
    EXPECT_EQ(found.r_peaks.size(), beats);
    std::vector<double> seconds;
    for (const std::int64_t sample : found.artefacts) seconds.push_back(static_cast<double>(sample) / kExtraRate_hz);
    return seconds;
  }
  DrawnLead first = beats_in_noise(1), second = beats_in_noise(2);
};
TYPED_TEST_SUITE(ExtraBeats, Backends, BackendNames);

TYPED_TEST(ExtraBeats, NothingIsLeftOutOfACleanRecording) {
  EXPECT_TRUE(this->left_out(this->first, this->second, 59).empty());
}

TYPED_TEST(ExtraBeats, AStepIsLeftOut) {
  for (auto* lead : {&this->first, &this->second}) lead->add_step(20.5, 3, 0.1);
  const auto seconds = this->left_out(this->first, this->second, 59);
  ASSERT_EQ(seconds.size(), 1u);
  EXPECT_NEAR(seconds[0], 20.5, 0.1);
}

TYPED_TEST(ExtraBeats, ABurstIsLeftOut) {
  std::mt19937 random(9);
  std::normal_distribution<float> noise(0, 0.8F);
  for (auto* lead : {&this->first, &this->second})
    for (int i = -18; i < 18; ++i) lead->x[static_cast<std::size_t>(40.5 * kExtraRate_hz) + i] += noise(random);
  const auto seconds = this->left_out(this->first, this->second, 59);
  ASSERT_EQ(seconds.size(), 1u);
  EXPECT_NEAR(seconds[0], 40.5, 0.1);
}

// A wave as of a beat, which one lead lacks. The line is restless beside it, or not.
TYPED_TEST(ExtraBeats, AWaveThatOneLeadLacksIsLeftOutWhereTheLineIsRestless) {
  this->second.add(30.45, 6, 0.012);
  EXPECT_TRUE(this->left_out(this->first, this->second, 60).empty());
  this->second.add(30.64, 3, 0.012);
  const auto seconds = this->left_out(this->first, this->second, 59);
  ASSERT_EQ(seconds.size(), 1u);
  EXPECT_NEAR(seconds[0], 30.45, 0.05);
}

// A beat in noise that lasts a second looks like a burst.
TYPED_TEST(ExtraBeats, ABeatInLastingNoiseStays) {
  std::mt19937 random(9);
  std::normal_distribution<float> noise(0, 0.3F);
  for (auto* lead : {&this->first, &this->second}) {
    lead->add(40.5, 1, 0.04);
    for (int i = -180; i < 180; ++i) lead->x[static_cast<std::size_t>(40.5 * kExtraRate_hz) + i] += noise(random);
  }
  const auto recording = recording_of_leads(this->context(), {this->first.x, this->second.x});
  EXPECT_TRUE(detect_beats(this->context(), recording, {}, {}, kExtraRate_hz).artefacts.empty());
}

// An interpolated ventricular beat with its T wave, which one of three leads lacks.
TYPED_TEST(ExtraBeats, AVentricularBeatThatOneOfSeveralLeadsLacksStays) {
  auto third = this->first;
  for (auto* lead : {&this->first, &this->second}) lead->add(30.45, 2, 0.03), lead->add(30.72, -0.6, 0.05);
  const auto recording = recording_of_leads(this->context(), {this->first.x, this->second.x, third.x});
  const auto found = detect_beats(this->context(), recording, {}, {}, kExtraRate_hz);
  EXPECT_TRUE(found.artefacts.empty());
  EXPECT_EQ(found.r_peaks.size(), 60);
}

TYPED_TEST(ExtraBeats, ABeatBetweenThatBothLeadsShowStays) {
  for (auto* lead : {&this->first, &this->second}) lead->add(30.45, 2, 0.03), lead->add(30.7, 0.6, 0.012);
  EXPECT_TRUE(this->left_out(this->first, this->second, 60).empty());
}

}  // namespace
}  // namespace beatscan
