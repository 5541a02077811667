#include "stages/beats/faint.h"

#include <algorithm>

#include "stages/beats/detect.h"
#include "stages/beats/detect_options.h"
#include "stages/quality/quality_options.h"
#include "tests/support/backends.h"
#include "tests/support/standstill.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

TEST(Loudness, IsTheLevelOverTheUsualOne) { EXPECT_EQ(loudness_of({2, 2, 0.5f, 4, 2}), (Floats{1, 1, 0.25f, 2, 1})); }

TEST(Loudness, IsThatOfTheLoudOnesAfterAStep) {
  const Floats quiet(8, 1.0F), loud(6, 4.0F);
  Floats levels = quiet;
  levels.insert(levels.end(), loud.begin(), loud.end());
  EXPECT_EQ(loudness_of(levels).back(), 1) << "a step from a quiet half";
  EXPECT_EQ(loudness_of({levels.begin() + 4, levels.end()}).back(), 1) << "the median is loud";
  EXPECT_EQ(loudness_of({levels.begin(), levels.begin() + 12}).back(), 4) << "four loud blocks are few";
  std::fill(levels.begin() + 8, levels.end(), 2.4F);
  EXPECT_EQ(loudness_of(levels).back(), 2.4F) << "the step is too small";
  Floats many(200, 1.0F);
  std::fill(many.begin(), many.begin() + 9, 4.0F);
  EXPECT_EQ(loudness_of(many).front(), 4) << "less than 5 % are loud";
  many[9] = 4;
  EXPECT_EQ(loudness_of(many).front(), 1);
}

// 100 usual candidates at block 0 .. 99 with sharpness 1, and then those of the case in loudness 0.1.
Floats heights_after(const Floats& height, const Floats& sharpness, float noise = 0) {
  Floats heights(100, 1.0f), sharp(100, 1.0f), loudness(100, 1.0f), noisy(100, noise);
  std::vector<std::int64_t> at(100);
  for (int i = 0; i < 100; ++i) at[i] = 10 * i;
  for (std::size_t i = 0; i < height.size(); ++i) {
    at.push_back(1000 + 40 * static_cast<std::int64_t>(i));
    heights.push_back(height[i]);
    sharp.push_back(height[i] * sharpness[i]);
    for (int block = 0; block < 4; ++block) loudness.push_back(0.1f), noisy.push_back(0);
  }
  std::vector<std::int64_t> expected, before(at.begin() + 100, at.end());
  const auto left_out = silence_faint({at, sharp, loudness, noisy, {}, 10}, 0.5, heights);
  for (std::size_t i = 0; i < height.size(); ++i)
    if (heights[100 + i] != height[i]) expected.push_back(before[i]);
  EXPECT_EQ(left_out, expected);
  EXPECT_TRUE(std::all_of(heights.begin(), heights.begin() + 100, [](float value) { return value == 1; }));
  return {heights.begin() + 100, heights.end()};
}

TEST(SilenceFaint, DropsWhatIsFaintAndBlunt) {
  EXPECT_EQ(heights_after({1, 1, 2.5f}, {0.7f, 0.8f, 0.7f}), (Floats{0, 1, 2.5f}));
  EXPECT_EQ(heights_after({1}, {0.7f}, 0.5f), (Floats{1})) << "usual candidates are not told in noise";
  EXPECT_EQ(heights_after({}, {}), Floats());
}

TEST(SilenceFaint, DropsWhatIsLowerBesideIt) {
  Floats heights(60, 1.0f), sharp(60, 1.0f), loudness(62, 1.0f);
  std::vector<std::int64_t> at(60);
  for (int i = 0; i < 60; ++i) at[i] = 10 * i;
  loudness[60] = loudness[61] = 0.1f;
  for (const auto& [where, height, sharpness] :
       {std::tuple{602, 0.9f, 2.0f}, {605, 1.0f, 0.5f}, {608, 1.1f, 2.0f}, {619, 0.9f, 2.0f}}) {
    at.push_back(where), heights.push_back(height), sharp.push_back(height * sharpness);
  }
  EXPECT_EQ(silence_faint({at, sharp, loudness, Floats(62), {}, 10}, 0.95, heights), (std::vector<std::int64_t>{605}))
      << "one is lower than a beat has to be";
  EXPECT_EQ(Floats(heights.begin() + 60, heights.end()), (Floats{0, 0, 1.1f, 0.9f}))
      << "the higher one stays, and what is farther than a block";
}

// Blocks of 10 samples with a candidate each: usual ones, and after them quiet ones of these sharpnesses. Returns the
// number that is silenced.
std::size_t silenced(int usual, const Floats& sharpness) {
  Floats heights(usual, 1.0F), sharp(usual, 1.0F), loudness(usual, 1.0F);
  for (const float its : sharpness) heights.push_back(1), sharp.push_back(its), loudness.push_back(0.1F);
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < std::ssize(heights); ++i) at.push_back(10 * i);
  const Floats quiet_noise(heights.size());
  Floats kept = heights;
  silence_faint({at, sharp, loudness, quiet_noise, {}, 10}, 0.5, kept);
  return std::ranges::count(kept, 0.0F);
}

TEST(SilenceFaint, NeedsMostlyBluntWavesWhereFewCandidatesAreUsual) {
  const Floats four_of_five{0.7F, 0.7F, 0.7F, 0.7F, 1.0F}, three_of_five{0.7F, 0.7F, 0.7F, 1.0F, 1.0F};
  EXPECT_EQ(silenced(19, four_of_five), 0);
  EXPECT_EQ(silenced(20, four_of_five), 5) << "with that beside a blunt one";
  EXPECT_EQ(silenced(59, three_of_five), 0);
  EXPECT_EQ(silenced(60, three_of_five), 4);
}

TEST(SilenceFaint, NeedsMostlyBluntWavesWhereHalfIsQuiet) {
  Floats sharpness(60, 1.0F);
  std::fill(sharpness.begin(), sharpness.begin() + 30, 0.7F);
  EXPECT_EQ(silenced(60, sharpness), 0);
  EXPECT_EQ(silenced(62, sharpness), 31);
  sharpness[59] = 0.7F;
  std::fill(sharpness.begin(), sharpness.begin() + 48, 0.7F);
  EXPECT_GE(silenced(60, sharpness), 49);
}

template <class Context>
class Standstill : public OnBackend<Context> {};
TYPED_TEST_SUITE(Standstill, Backends, BackendNames);

bool is_standstill(double time_s) { return (time_s >= 60 && time_s < 75) || (time_s >= 150 && time_s < 165); }

// The P waves go on twice for 15 s. The amplitude falls to `amplitude` from 200 s on.
Floats standstill(double p_sigma_s, double amplitude = 1) {
  return standstill_ecg(
      {.is_still = is_standstill, .gain = [=](double t) { return t >= 200 ? amplitude : 1; }, .p_sigma_s = p_sigma_s});
}

// Beats that were found, and those of them where the ventricles stand still.
struct Counted {
  std::int64_t all = 0, still = 0;
};

template <class Context>
Counted counted(Context& context, const StandstillEcg& ecg) {
  const auto x = from_host(context, standstill_ecg(ecg));
  const LeadSignal lead{x};
  const auto found = detect_r_peaks<Context>(context, {&lead, 1}, {}, {}, kStandstillRate);
  Counted count;
  for (const double peak : to_host(context, found.r_peaks))
    ++count.all, count.still += ecg.is_still(peak / kStandstillRate);
  return count;
}

TYPED_TEST(Standstill, ItsPWavesAreNoBeats) {
  for (const double sigma_s : {0.017, 0.022, 0.030}) {
    const auto x = from_host(this->context(), standstill(sigma_s));
    for (const int leads : {1, 2}) {
      const std::vector<LeadSignal> signals(leads, LeadSignal{x});
      const auto found = detect_r_peaks<TypeParam>(this->context(), signals, {}, {}, kStandstillRate);
      int beats = 0, waves = 0;
      for (const double peak : to_host(this->context(), found.r_peaks))
        ++(is_standstill(peak / kStandstillRate) ? waves : beats);
      EXPECT_LE(waves, 2) << sigma_s << " s, leads: " << leads;
      EXPECT_NEAR(beats, 261, 2) << sigma_s << " s, leads: " << leads;
    }
  }
}

TYPED_TEST(Standstill, SmallBeatsStay) {
  const auto x = from_host(this->context(), standstill(0.022, 0.12));
  const LeadSignal lead{x};
  const auto found = detect_r_peaks<TypeParam>(this->context(), {&lead, 1}, {}, {}, kStandstillRate);
  const auto peaks = to_host(this->context(), found.r_peaks);
  EXPECT_NEAR(std::ranges::count_if(peaks, [](double peak) { return peak > 200 * kStandstillRate; }), 48, 1);
}

// A standstill of 15 s, `beats` after the beginning.
StandstillEcg standstill_after(int beats) {
  const double from = 0.8 * beats;
  return {.seconds = static_cast<int>(1.2 * beats) + 15,
          .is_still = [=](double t) { return t >= from && t < from + 15; }};
}

TYPED_TEST(Standstill, AfterFewBeatsItsPWavesAreNoBeats) {
  for (const int beats : {20, 30, 45}) {
    const Counted found = counted(this->context(), standstill_after(beats));
    EXPECT_LE(found.still, 1) << beats << " beats before it";
    EXPECT_GE(found.all - found.still, beats) << beats << " beats before it";
  }
}

// Ninety per cent of 240 s are over when it ends.
StandstillEcg standstill_of(double share) {
  return {.is_still = [=](double t) { return t >= 240 * (0.9 - share) && t < 216; }};
}

TYPED_TEST(Standstill, OfMostOfTheRecordingItsPWavesAreNoBeats) {
  for (const double share : {0.4, 0.55, 0.7, 0.85}) {
    const Counted found = counted(this->context(), standstill_of(share));
    EXPECT_LE(found.still, 1) << share;
    EXPECT_NEAR(found.all - found.still, 299 * (1 - share), 3) << share;
  }
}

// For 14 s, too short for twenty usual beats, the gain is four times as large.
TYPED_TEST(Standstill, ALoudPartDoesNotHideIt) {
  StandstillEcg ecg{.seconds = 600, .is_still = is_standstill};
  ecg.gain = [](double t) { return t >= 300 && t < 314 ? 4.0 : 1.0; };
  const Counted found = counted(this->context(), ecg);
  EXPECT_LE(found.still, 2);
  EXPECT_NEAR(found.all - found.still, 711, 2);
}

}  // namespace
}  // namespace beatscan
