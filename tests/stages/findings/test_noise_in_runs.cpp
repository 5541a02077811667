#include "stages/findings/noise_in_runs.h"

#include <gtest/gtest.h>

#include "stages/findings/beat_class.h"
#include "stages/findings/kinds.h"

namespace beatscan {
namespace {

// Thirty beats 100 samples apart, of which 10 to 15 are V, 40 samples apart. They have a noise of 6, and the others
// of 2.
struct FastRun {
  std::vector<double> r_peaks;
  std::vector<std::uint8_t> broken = std::vector<std::uint8_t>(29), good = std::vector<std::uint8_t>(30, 1);
  std::vector<std::int64_t> kept;
  std::vector<float> noise = std::vector<float>(30, 2);
  std::vector<Kind> kinds = std::vector<Kind>(30, Kind::normal);

  explicit FastRun(double rr = 40) {
    for (int i = 0; i < 30; ++i) {
      const bool is_v = i >= 10 && i < 16;
      r_peaks.push_back(i == 0 ? 0 : r_peaks.back() + (i > 10 && is_v ? rr : 100));
      kept.push_back(i);
      if (is_v) kinds[i] = Kind::ventricular, noise[i] = 6;
    }
  }
  std::vector<float> in_runs() const { return noise_in_runs({r_peaks, broken, kept, good, noise, {}, {}}, kinds); }
};

std::vector<float> all(float value) { return std::vector<float>(30, value); }

TEST(NoiseInRuns, OfFastEvenVBeatsIsThatOfTheBeatsBeside) {
  EXPECT_EQ(FastRun().in_runs(), all(2));
  FastRun noisy;
  for (const int i : {5, 6, 7, 8, 9, 16, 17, 18, 19, 20, 21}) noisy.noise[i] = 5;
  EXPECT_EQ(noisy.in_runs()[12], 5) << "11 of the 20 N beats beside it are noisy";
  noisy.noise.assign(30, 8);
  for (int i = 10; i < 16; ++i) noisy.noise[i] = 6;
  EXPECT_EQ(noisy.in_runs(), noisy.noise) << "it is no noisier than between its beats";
}

TEST(NoiseInRuns, OfOtherBeatsStays) {
  EXPECT_EQ(FastRun(70).in_runs()[12], 6) << "not fast";
  FastRun uneven, two, gap, dropped;
  for (const int i : {11, 13, 15}) uneven.r_peaks[i] += 10;
  EXPECT_EQ(uneven.in_runs(), uneven.noise);
  for (const int i : {12, 13}) two.kinds[i] = Kind::unknown;
  EXPECT_EQ(two.in_runs(), two.noise) << "two and two";
  for (int i = 10; i < 15; ++i) gap.broken[i] = i % 2 == 0;
  EXPECT_EQ(gap.in_runs(), gap.noise);
  for (int i = 12; i < 30; ++i) dropped.kept[i] = i + 1;
  dropped.kept.pop_back(), dropped.kinds.pop_back(), dropped.noise.pop_back();
  const auto noise = dropped.in_runs();
  EXPECT_EQ(noise[11], 6) << "the beat behind it is no row";
  EXPECT_EQ(noise[13], 2);
}

TEST(NoiseInRuns, OfBeatsInPoorSignalStays) {
  FastRun poor;
  poor.good[12] = 0;
  EXPECT_EQ(poor.in_runs()[12], 6);
  EXPECT_EQ(poor.in_runs()[11], 2);
}

TEST(NoiseInRuns, WithoutNormalBeatsStays) {
  FastRun run;
  for (auto& kind : run.kinds)
    if (kind == Kind::normal) kind = Kind::unknown;
  EXPECT_EQ(run.in_runs(), run.noise);
}

}  // namespace
}  // namespace beatscan
