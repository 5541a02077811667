#include "kernels/features/beat_shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace beatscan::features {
namespace {

// Returns a beat with a QRS complex of this width, a P wave and a T wave, in windows of 8 ms values.
std::vector<float> beat(double qrs_width_s, double p_height = 0.15) {
  std::vector<float> x(kValues);
  const auto add = [&](double at_s, double width_s, double height) {
    for (int i = 0; i < kValues; ++i) {
      const double apart = ((i - kRValue) / kHz - at_s) / width_s;
      x[i] += static_cast<float>(height * std::exp(-0.5 * apart * apart));
    }
  };
  add(-0.16, 0.02, p_height);
  add(0, qrs_width_s, 1);
  add(0.28, 0.05, 0.3);
  return x;
}

struct Beats {
  std::vector<float> windows;
  std::vector<std::uint8_t> dominant;
  std::vector<float> rr_s;
  void add(const std::vector<float>& window, bool is_dominant) {
    windows.insert(windows.end(), window.begin(), window.end());
    dominant.push_back(is_dominant);
    rr_s.push_back(0.8F);
  }
  LeadReference reference() const {
    LeadReference found{.dominant = beat(0.012), .sample = {}, .sample_ratio = {}, .is_early = {}};
    for (std::size_t i = 0; i < dominant.size(); i += 4) {
      found.sample.resize(found.sample.size() + kQrsValues);
      unit_qrs(std::span(windows).subspan(i * kValues, kValues), std::span(found.sample).last(kQrsValues));
      found.sample_ratio.push_back(1);
      found.is_early.push_back(0);
    }
    return found;
  }
  std::vector<float> measured(int threads) const {
    std::vector<float> measures(dominant.size() * kShapeMeasures);
    Cpu cpu(threads);
    beat_shapes(cpu, {0, 0, std::ssize(dominant), windows, dominant, rr_s}, reference(), measures);
    return measures;
  }
};

TEST(HalveWindows, TakesMeansOfTwo) {
  std::vector<float> windows(640), halves(320);
  std::iota(windows.begin(), windows.end(), 0.0F);
  Cpu cpu;
  halve_windows(cpu, windows, halves);
  EXPECT_EQ(halves[0], 0.5F);
  EXPECT_EQ(halves[319], 638.5F);
}

TEST(MedianWindow, IsTheMedianOfEachValue) {
  std::vector<float> windows;
  for (const float value : {3.0F, -1.0F, 8.0F}) windows.insert(windows.end(), kValues, value);
  Cpu cpu;
  EXPECT_EQ(median_window(cpu, windows), std::vector<float>(kValues, 3));
}

TEST(UnitQrs, HasLengthOneAndIsZeroWhereFlat) {
  std::vector<float> part(kQrsValues);
  unit_qrs(beat(0.02), part);
  EXPECT_NEAR(std::inner_product(part.begin(), part.end(), part.begin(), 0.0), 1, 1e-5);
  unit_qrs(std::vector<float>(kValues, 5), part);
  EXPECT_EQ(part, std::vector<float>(kQrsValues));
}

TEST(BeatShapes, OfBeatsThatAreAlikeIsThatOfTheDominantBeat) {
  Beats beats;
  for (int i = 0; i < 40; ++i) beats.add(beat(0.012), true);
  const auto measures = beats.measured(1);
  const float* x = measures.data() + 20 * kShapeMeasures;
  for (const int m : {kQrsCorrelation, kQrsLocalCorrelation, kQrsPrevCorrelation, kQrsNextCorrelation, kQrsHeight,
                      kTCorrelation, kPCorrelation, kAlikeShare, kAlikeRatio})
    EXPECT_NEAR(x[m], 1, 2e-3) << m;
  for (const int m : {kQrsDistance, kQrsLocalDistance, kTDistance, kPDistance, kAlikeEarlyShare})
    EXPECT_NEAR(x[m], 0, 1e-5) << m;
  EXPECT_NEAR(x[kBumpPlace], 0.16, 0.017);  // a step of 16 ms
  EXPECT_TRUE(std::isnan(measures[kQrsPrevCorrelation]));
  EXPECT_TRUE(std::isnan(measures[39 * kShapeMeasures + kQrsNextCorrelation]));
}

TEST(BeatShapes, TellWideBeatsAndMissingPWaves) {
  Beats beats;
  for (int i = 0; i < 40; ++i) beats.add(i == 17 ? beat(0.04, 0) : beat(0.012), i != 17);
  const auto measures = beats.measured(1);
  const float *wide = measures.data() + 17 * kShapeMeasures, *usual = measures.data() + 20 * kShapeMeasures;
  EXPECT_LT(wide[kQrsCorrelation], 0.9);
  EXPECT_GT(wide[kQrsDistance], 0.1);
  EXPECT_GT(wide[kQrsWidth], 1.5 * usual[kQrsWidth]);
  EXPECT_GT(wide[kQrsArea], 1.5 * usual[kQrsArea]);
  EXPECT_LT(wide[kQrsHighShare], usual[kQrsHighShare]);
  EXPECT_LT(wide[kPProjection], 0.6);
  EXPECT_NEAR(usual[kPProjection], 1, 0.05);
}

// Blocks of beats are the same whatever threads take them.
TEST(BeatShapes, AreTheSameForAnyNumberOfThreads) {
  std::mt19937 random(3);
  std::normal_distribution<float> noise(0, 0.05F);
  Beats beats;
  for (int i = 0; i < 203; ++i) {
    auto window = beat(i % 7 == 0 ? 0.03 : 0.012);
    for (float& value : window) value += noise(random);
    beats.add(window, i % 7 != 0);
  }
  const auto one = beats.measured(1), three = beats.measured(3);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_TRUE(one[i] == three[i] || (std::isnan(one[i]) && std::isnan(three[i]))) << i;
}

}  // namespace
}  // namespace beatscan::features
