#include "kernels/features/medians.h"

#include <cmath>
#include <limits>
#include <random>

#include "kernels/features/beat_sums.h"
#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"

namespace beatscan::features {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class Context>
using FeatureMedians = OnBackend<Context>;
TYPED_TEST_SUITE(FeatureMedians, Backends, BackendNames);

std::vector<float> made_windows(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> windows(count * kValues);
  for (float& value : windows) value = 0.25F * static_cast<float>(random() % 40) - 5;
  return windows;
}

TYPED_TEST(FeatureMedians, OfWindowsHaveTheMiddleRank) {
  auto& context = this->context();
  for (const std::int64_t count : {1, 2, 5, 64, 65, 512}) {
    const auto windows = made_windows(count, static_cast<unsigned>(count));
    Buffer<float, TypeParam> found(context, kValues);
    median_window(context, from_host(context, windows), {}, found);
    Cpu cpu;
    EXPECT_EQ(to_host(context, found), median_window(cpu, windows)) << count;
  }
}

TYPED_TEST(FeatureMedians, OfChosenWindowsLeaveTheOthersOut) {
  auto& context = this->context();
  const auto windows = made_windows(100, 7);
  std::vector<std::uint8_t> chosen(100);
  std::vector<float> some;
  for (std::int64_t w = 0; w < 100; w += 3) {
    chosen[w] = 1;
    some.insert(some.end(), windows.begin() + w * kValues, windows.begin() + (w + 1) * kValues);
  }
  Buffer<float, TypeParam> found(context, kValues);
  const auto loaded = from_host(context, windows);
  median_window(context, loaded, from_host(context, chosen), found);
  Cpu cpu;
  EXPECT_EQ(to_host(context, found), median_window(cpu, some));
  median_window(context, loaded, from_host(context, std::vector<std::uint8_t>(100)), found);
  EXPECT_TRUE(std::isnan(to_host(context, found)[0]));
}

TYPED_TEST(FeatureMedians, OfMeasuresAreOverFiniteValues) {
  auto& context = this->context();
  std::vector<float> measures(5 * kShapeMeasures, 1);
  const auto set = [&](int measure, const std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) measures[i * kShapeMeasures + measure] = values[i];
  };
  set(0, {3, -1, 9, 2, 7});
  set(1, {3, kNan, 9, 2, 7});
  set(2, {kNan, kNan, kNan, kNan, 7});
  Buffer<double, TypeParam> medians(context, kShapeMeasures);
  measure_medians(context, from_host(context, measures), from_host(context, std::vector<std::int64_t>{0, 1, 2, 3}),
                  medians);
  const auto found = to_host(context, medians);
  EXPECT_EQ(found[0], 2.5);
  EXPECT_EQ(found[1], 3);
  EXPECT_EQ(found[2], 0);
  EXPECT_EQ(found[3], 1);
}

TYPED_TEST(FeatureMedians, SumsOfBeatsAreByGroup) {
  auto& context = this->context();
  constexpr std::int64_t kBeats = 1300;  // several parts
  std::vector<std::int16_t> group(kBeats);
  std::vector<double> series(2 * kBeats), expected(2 * (kGroups + 1));
  for (std::int64_t i = 0; i < kBeats; ++i) {
    group[i] = static_cast<std::int16_t>(i % 7 == 0 ? -1 : i % 7 == 6 ? 255 : i % 7);
    for (int s = 0; s < 2; ++s) {
      const double value = series[s * kBeats + i] = static_cast<double>(i % (11 + s));
      expected[2 * kGroups + s] += value;
      if (group[i] >= 0) expected[2 * group[i] + s] += value;
    }
  }
  Buffer<double, TypeParam> sums(context, 2 * (kGroups + 1));
  const auto loaded = from_host(context, series);
  beat_sums(context, from_host(context, group), loaded, sums);
  EXPECT_EQ(to_host(context, sums), expected);
  beat_sums(context, {}, loaded, sums);
  const auto all = to_host(context, sums);
  EXPECT_EQ(all[2 * kGroups], expected[2 * kGroups]);
  EXPECT_EQ(all[2 * kGroups + 1], expected[2 * kGroups + 1]);
}

}  // namespace
}  // namespace beatscan::features
