#include "kernels/features/beat_shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/features/beat_measures.h"
#include "kernels/features/medians.h"
#include "tests/support/backends.h"

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
      unit_qrs(&windows[i * kValues], &found.sample[found.sample.size() - kQrsValues]);
      found.sample_ratio.push_back(1);
      found.is_early.push_back(0);
    }
    return found;
  }
  template <class Context>
  std::vector<float> measured(Context& context) const {
    const auto on_device = from_host(context, windows);
    const auto is_dominant = from_host(context, dominant);
    const auto rr = from_host(context, rr_s);
    Buffer<float, Context> measures(context, std::ssize(dominant) * kShapeMeasures);
    beat_shapes(context, {0, 0, std::ssize(dominant), on_device, is_dominant, rr}, reference(), measures);
    return to_host(context, measures);
  }
};

template <class Context>
using BeatShapes = OnBackend<Context>;
TYPED_TEST_SUITE(BeatShapes, Backends, BackendNames);

TYPED_TEST(BeatShapes, AreOfWindowsOfHalfTheRate) {
  std::vector<float> windows(640);
  std::iota(windows.begin(), windows.end(), 0.0F);
  auto& context = this->context();
  const auto on_device = from_host(context, windows);
  Buffer<float, TypeParam> halves(context, 320);
  halve_windows(context, on_device, halves);
  const auto found = to_host(context, halves);
  EXPECT_EQ(found[0], 0.5F);
  EXPECT_EQ(found[319], 638.5F);
}

TEST(MedianWindow, IsTheMedianOfEachValue) {
  std::vector<float> windows;
  for (const float value : {3.0F, -1.0F, 8.0F}) windows.insert(windows.end(), kValues, value);
  Cpu cpu;
  EXPECT_EQ(median_window(cpu, windows), std::vector<float>(kValues, 3));
}

TEST(UnitQrs, HasLengthOneAndIsZeroWhereFlat) {
  std::vector<float> part(kQrsValues);
  unit_qrs(beat(0.02).data(), part.data());
  EXPECT_NEAR(std::inner_product(part.begin(), part.end(), part.begin(), 0.0), 1, 1e-5);
  unit_qrs(std::vector<float>(kValues, 5).data(), part.data());
  EXPECT_EQ(part, std::vector<float>(kQrsValues));
}

TYPED_TEST(BeatShapes, OfBeatsThatAreAlikeIsThatOfTheDominantBeat) {
  Beats beats;
  for (int i = 0; i < 40; ++i) beats.add(beat(0.012), true);
  const auto measures = beats.measured(this->context());
  const float* x = measures.data() + 20 * kShapeMeasures;
  for (const int m : {kQrsCorrelation, kQrsLocalCorrelation, kQrsPrevCorrelation, kQrsNextCorrelation, kQrsHeight,
                      kTCorrelation, kPCorrelation, kAlikeShare, kAlikeRatio})
    EXPECT_NEAR(x[m], 1, 2e-3) << m;
  for (const int m : {kQrsDistance, kQrsLocalDistance, kTDistance, kPDistance, kAlikeEarlyShare})
    EXPECT_NEAR(x[m], 0, 1e-5) << m;
  EXPECT_NEAR(x[kLobePlace], 0.16, 0.017);  // a step of 16 ms
  EXPECT_TRUE(std::isnan(measures[kQrsPrevCorrelation]));
  EXPECT_TRUE(std::isnan(measures[39 * kShapeMeasures + kQrsNextCorrelation]));
}

TYPED_TEST(BeatShapes, DistinguishWideBeatsAndMissingPWaves) {
  Beats beats;
  for (int i = 0; i < 40; ++i) beats.add(i == 17 ? beat(0.04, 0) : beat(0.012), i != 17);
  const auto measures = beats.measured(this->context());
  const float *wide = measures.data() + 17 * kShapeMeasures, *usual = measures.data() + 20 * kShapeMeasures;
  EXPECT_LT(wide[kQrsCorrelation], 0.9);
  EXPECT_GT(wide[kQrsDistance], 0.1);
  EXPECT_GT(wide[kQrsWidth], 1.5 * usual[kQrsWidth]);
  EXPECT_GT(wide[kQrsArea], 1.5 * usual[kQrsArea]);
  EXPECT_LT(wide[kQrsHighShare], usual[kQrsHighShare]);
  EXPECT_LT(wide[kPProjection], 0.6);
  EXPECT_NEAR(usual[kPProjection], 1, 0.05);
}

// The back ends and any number of threads; one beat, a block that is not full, few dominant beats, and none.
TYPED_TEST(BeatShapes, AreTheSameBitsOnBothBackEnds) {
  std::mt19937 random(3);
  std::normal_distribution<float> noise(0, 0.05F);
  for (const auto& [count, every] : {std::pair(203, 7), std::pair(1, 7), std::pair(16, 2), std::pair(70, 1)}) {
    SCOPED_TRACE(count);
    Beats beats;
    for (int i = 0; i < count; ++i) {
      auto window = beat(i % every == 0 ? 0.03 : 0.012);
      for (float& value : window) value += noise(random);
      beats.add(window, i % every != 0);
    }
    Cpu one(1);
    EXPECT_EQ(bits_of(beats.measured(this->context())), bits_of(beats.measured(one)));
  }
}

}  // namespace
}  // namespace beatscan::features
