#include "stages/beats/faint.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "stages/beats/detect.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

TEST(Loudness, IsTheLevelOverTheUsualOne) { EXPECT_EQ(loudness_of({2, 2, 0.5f, 4, 2}), (Floats{1, 1, 0.25f, 2, 1})); }

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

template <class Context>
class Standstill : public OnBackend<Context> {};
TYPED_TEST_SUITE(Standstill, Backends, BackendNames);

constexpr int kStandstillRate = 360, kStandstillSeconds = 240;

void add_wave(Floats& x, double centre, double sigma, double height) {
  for (auto i = static_cast<std::int64_t>(centre - 6 * sigma); i <= static_cast<std::int64_t>(centre + 6 * sigma); ++i)
    if (i >= 0 && i < std::ssize(x))
      x[i] += static_cast<float>(height * std::exp(-0.5 * std::pow((i - centre) / sigma, 2)));
}

bool is_standstill(double time_s) { return (time_s >= 60 && time_s < 75) || (time_s >= 150 && time_s < 165); }

// P waves of 0.15 mV go on at 75 a minute where the QRS complexes of 1.1 mV stop, twice for 15 s. The amplitude falls
// to `amplitude` from 200 s on.
Floats standstill(double p_sigma_s, double amplitude = 1) {
  Floats x(kStandstillRate * kStandstillSeconds);
  for (double t = 0.5; t < kStandstillSeconds - 1; t += 0.8) {
    const double at = t * kStandstillRate, size = t >= 200 ? amplitude : 1;
    add_wave(x, at - 0.16 * kStandstillRate, p_sigma_s * kStandstillRate, 0.15 * size);
    if (is_standstill(t)) continue;
    add_wave(x, at, 2.6, 1.1 * size);
    add_wave(x, at + 8, 2.2, -0.25 * size);
    add_wave(x, at + 0.28 * kStandstillRate, 0.045 * kStandstillRate, 0.3 * size);
  }
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.005f);
  for (float& value : x) value += noise(random);
  return x;
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

}  // namespace
}  // namespace beatscan
