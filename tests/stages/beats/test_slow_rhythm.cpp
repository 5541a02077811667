#include "stages/beats/slow_rhythm.h"

#include <algorithm>
#include <cmath>

#include "stages/beats/detect.h"
#include "stages/beats/detect_options.h"
#include "stages/quality/quality_options.h"
#include "tests/support/backends.h"
#include "tests/support/standstill.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

constexpr float kBeat = 1.0f, kPWave = 0.2f;

// Maxima of blocks: a beat in the first of each `period`, and P waves in the others.
Floats blocks_with_beats(int blocks, int period, float other = kPWave) {
  Floats maxima(blocks, other);
  for (int b = 0; b < blocks; b += period) maxima[b] = kBeat;
  return maxima;
}

// Details with a sharpness of the beats, and of the other maxima, which all stand out this far.
BlockDetails details_of(const Floats& maxima, float of_beats, float of_others, float stand_out = 20) {
  BlockDetails found{maxima, maxima, maxima};
  for (std::size_t b = 0; b < maxima.size(); ++b) {
    found.rest[b] /= stand_out;
    found.sharp[b] *= maxima[b] == kBeat ? of_beats : of_others;
    found.sharp_rest[b] = found.sharp[b] / stand_out;
  }
  return found;
}

// Returns how many blocks are slow.
std::int64_t slow(const Floats& maxima, float of_beats = 0.7f, float of_others = 0.5f, float stand_out = 20) {
  return std::ranges::count(slow_blocks(maxima, [&] { return details_of(maxima, of_beats, of_others, stand_out); }), 1);
}

TEST(SlowBlocks, HoldBeatsNowAndThen) {
  EXPECT_EQ(slow(blocks_with_beats(60, 2)), 60);
  EXPECT_EQ(slow(blocks_with_beats(60, 4)), 60);
  EXPECT_EQ(slow(blocks_with_beats(60, 1)), 0);
  EXPECT_EQ(slow(blocks_with_beats(75, 5)), 75);
  EXPECT_EQ(slow(blocks_with_beats(90, 6)), 0) << "a sixth may be movement";
  EXPECT_EQ(slow(blocks_with_beats(28, 2)), 0) << "14 beats are few";
  EXPECT_EQ(slow(blocks_with_beats(60, 2, 0.3f)), 0) << "such waves may be beats";
  EXPECT_EQ(slow(blocks_with_beats(60, 2, 0)), 0) << "nothing is between the beats";
  EXPECT_EQ(slow({}), 0);
}

TEST(SlowBlocks, ABeatMayLieBetweenTwoBlocks) {
  Floats maxima = blocks_with_beats(60, 2);
  for (const int b : {10, 11, 40, 41}) maxima[b] = 0.5f;
  EXPECT_EQ(slow(maxima), 60);
  for (const int b : {20, 21, 50, 51}) maxima[b] = 0.5f;
  EXPECT_EQ(slow(maxima), 0) << "many heights";
}

TEST(SlowBlocks, BeatsComeRegularly) {
  Floats maxima(60, kPWave);
  for (const int b : {0, 1, 2, 3, 9, 10, 12, 13, 14, 22, 23, 31, 32, 34, 35, 36, 44, 45, 46, 58}) maxima[b] = kBeat;
  EXPECT_EQ(slow(maxima), 0);
  maxima.assign(60, kPWave);
  std::fill(maxima.begin() + 30, maxima.end(), kBeat);
  EXPECT_EQ(slow(maxima), 0) << "beats after a standstill";
}

TEST(SlowBlocks, OtherBeatsAndClicksAreNoReason) {
  EXPECT_EQ(slow(blocks_with_beats(60, 2), 0.5f, 0.7f), 0) << "usual beats between wide ones";
  EXPECT_EQ(slow(blocks_with_beats(60, 2), 1.1f, 0.7f), 0) << "beats between clicks";
  EXPECT_EQ(slow(blocks_with_beats(60, 2), 0.5f, 0.7f, 4), 60) << "noise between wide beats";
}

TEST(SlowBlocks, AreTheOnesOfASlowPart) {
  Floats maxima = blocks_with_beats(300, 1);
  const Floats part = blocks_with_beats(90, 2);
  std::ranges::copy(part, maxima.begin() + 150);
  const auto found = slow_blocks(maxima, [&] { return details_of(maxima, 0.7f, 0.5f); });
  EXPECT_EQ(std::count(found.begin() + 150, found.begin() + 240, 1), 90);
  EXPECT_LE(std::ranges::count(found, 1), 90 + 75) << "in windows";
}

TEST(SlowBlocks, AskForDetailsWhereTheyMatter) {
  const auto none = []() -> BlockDetails {
    ADD_FAILURE() << "asked";
    return {};
  };
  slow_blocks(blocks_with_beats(600, 1), none);
  slow_blocks(Floats(600, 0.0f), none);
}

TEST(SlowBlocks, AnotherLeadMayShowBeatsBetween) {
  const Floats slow_lead = blocks_with_beats(60, 2);
  const std::vector<std::uint8_t> all(60, 1);
  const auto shows = [&](float between, float stand_out) {
    const Floats other = blocks_with_beats(60, 2, between);
    Floats rest = other;
    for (float& value : rest) value /= stand_out;
    return shows_beats_between(other, rest, slow_lead, all);
  };
  EXPECT_TRUE(shows(0.4f, 10));
  EXPECT_FALSE(shows(0.2f, 10)) << "P waves";
  EXPECT_FALSE(shows(0.4f, 5)) << "noise";
  EXPECT_FALSE(shows_beats_between(slow_lead, slow_lead, slow_lead, {}));
}

TEST(SlowBlocks, TakeTheMaximaOfBeatsBeside) {
  const std::vector<std::uint8_t> slow = {1, 1, 1, 1, 1, 0, 0};
  EXPECT_EQ(with_beats_beside(Floats{1, 3, 1, 0, 1, 1, 5}, slow), (Floats{3, 3, 3, 0, 5, 1, 5}));
}

template <class Context>
using SlowRhythm = OnBackend<Context>;
TYPED_TEST_SUITE(SlowRhythm, Backends, BackendNames);

// The beats of a lead that shows each fifth alone are those of the other lead.
TYPED_TEST(SlowRhythm, OfOneLeadDoesNotHideTheBeatsOfTheOther) {
  auto& context = this->context();
  const auto is_fifth = [](double t) { return std::lround((t - 0.5) / 0.8) % 5 == 0; };
  const auto first = standstill_ecg(
                 {.is_still = [](double) { return false; }, .gain = [&](double t) { return is_fifth(t) ? 1.5 : 1.0; }}),
             second = standstill_ecg({.is_still = [&](double t) { return !is_fifth(t); }});
  const auto one = from_host(context, first), other = from_host(context, second);
  const std::vector<LeadSignal> leads = {{one}, {other}};
  EXPECT_GE(detect_r_peaks<TypeParam>(context, leads, {}, {}, kStandstillRate, {}).r_peaks.size(), 297);
}

// A complete heart block of four minutes: a beat each fifth P wave, at 15 a minute. The other lead is noisy and upside
// down.
TYPED_TEST(SlowRhythm, FifteenBeatsAMinuteAreFifteen) {
  auto& context = this->context();
  for (const double p_height : {0.15, 0.25}) {
    const auto is_still = [](double t) { return std::lround((t - 0.5) / 0.8) % 5 != 0; };
    const auto first = standstill_ecg({.is_still = is_still, .p_height = p_height});
    Floats second = first;
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 0.03f);
    for (float& value : second) value = -0.6f * value + noise(random);
    const auto one = from_host(context, first), other = from_host(context, second);
    for (const std::vector<LeadSignal>& leads :
         {std::vector<LeadSignal>{{one}}, std::vector<LeadSignal>{{other}}, std::vector<LeadSignal>{{one}, {other}}}) {
      const auto peaks = [&](std::int64_t most_window_samples) {
        const DetectRequest request{.most_window_samples = most_window_samples};
        return to_host(context, detect_r_peaks<TypeParam>(context, leads, {}, {}, kStandstillRate, request).r_peaks);
      };
      const auto found = peaks(0);
      EXPECT_EQ(peaks(20'000), found) << "in windows";
      ASSERT_EQ(std::ssize(found), 60) << p_height;
      for (int i = 0; i < 60; ++i) EXPECT_NEAR(found[i] / kStandstillRate, 0.5 + 4 * i, 0.02) << p_height;
    }
  }
}

}  // namespace
}  // namespace beatscan
