#include "app/report/drawing/ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/report/drawing/relative_path.h"

namespace beatscan {
namespace {

TEST(ReportRange, LeavesOutTheOutermostAndWhatIsNoNumber) {
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(static_cast<float>(i));
  values.push_back(std::nanf(""));
  const Range all = range_of(values, 0), most = range_of(values, 0.1);
  EXPECT_DOUBLE_EQ(all.from, -50);
  EXPECT_DOUBLE_EQ(all.to, 1050);
  EXPECT_DOUBLE_EQ(most.from, 100 - 40);
  EXPECT_DOUBLE_EQ(most.to, 900 + 40);
  const Range none = range_of(std::vector{std::nanf("")}, 0);
  EXPECT_LT(none.from, none.to);
}

TEST(ReportRange, ManyValuesAreSampledAndGiveNearlyTheSame) {
  std::mt19937 random(1);
  std::vector<float> values(1 << 20);
  for (auto& value : values) value = static_cast<float>(random() % 10001);
  const Range range = range_of(values, 0.1);
  EXPECT_NEAR(range.from, 1000 - 400, 100);
  EXPECT_NEAR(range.to, 9000 + 400, 100);
}

// Every 20th value is a peak, in an envelope of any length, whose values are single or in pairs.
TEST(ReportRange, PeaksOfASteadyRhythmAreNotCutOff) {
  for (const std::size_t length :
       {10'000, 20'000, 28'657, 33'000, 82'000, 400'000, 410'000, 864'878, 1'115'000, 1'343'000, 2'000'000}) {
    std::vector<float> envelope(length), pairs;
    for (std::size_t i = 0; i < length; ++i) {
      envelope[i] = i % 20 == 1 ? 1.5f : 0.1f;
      pairs.insert(pairs.end(), {-0.1f, envelope[i]});
    }
    for (const auto& values : {envelope, pairs}) {
      const SignalRange shown = signal_range(values);
      EXPECT_FALSE(shown.cut) << values.size();
      EXPECT_GT(shown.range.to, 1.5) << values.size();
    }
  }
}

TEST(ReportRange, OfManyEqualPairsIsThatOfSingleValues) {
  std::mt19937 random(1);
  std::vector<float> single(50'000), pairs;
  for (auto& value : single) {
    value = static_cast<float>(random() % 10001);
    pairs.insert(pairs.end(), {value, value});
  }
  const Range range = range_of(single, 0.1), of_pairs = range_of(pairs, 0.1);
  EXPECT_EQ(range.from, of_pairs.from);
  EXPECT_EQ(range.to, of_pairs.to);
}

// Values in 32 lanes are compared side by side, and the last ones one by one. Infinite values are rare and left out.
TEST(Extremes, OfFiniteValuesInAnyPlace) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<float> values(size, 1);
    EXPECT_EQ(extremes_of(values).exist(), size > 0);
    for (const float none : {std::nanf(""), INFINITY, -INFINITY}) {
      std::ranges::fill(values, none);
      EXPECT_FALSE(extremes_of(values).exist());
      for (std::size_t i = 0; i < size; ++i) {
        auto changed = values;
        changed[i] = -3;
        changed[size - 1 - i] = std::numeric_limits<float>::max();
        const Extremes extremes = extremes_of(changed);
        EXPECT_EQ(extremes.least, i == size - 1 - i ? std::numeric_limits<float>::max() : -3);
        EXPECT_EQ(extremes.greatest, std::numeric_limits<float>::max());
        const Range range = range_of(changed, 0);
        EXPECT_TRUE(std::isfinite(range.from) && range.from < extremes.least && range.to > extremes.greatest);
      }
    }
  }
}

TEST(RelativePath, RoundsAndWritesAsTheLibraryDoes) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> wide(-2000, 2000);
  for (int i = 0; i < 10'000; ++i) {
    const double value = wide(random), half = std::floor(value) + 0.5;
    EXPECT_EQ(RelativePath::whole(value), std::llround(value));
    EXPECT_EQ(RelativePath::whole(half), std::llround(half));
  }
  EXPECT_EQ(RelativePath::whole(0.49999999999999994), 0);
  EXPECT_EQ(RelativePath::whole(-1e300), -1'000'000'000);
  EXPECT_EQ(RelativePath::whole(INFINITY), 1'000'000'000);
  EXPECT_EQ(RelativePath::whole(NAN), -1'000'000'000);
  RelativePath path;
  path.to(5, -7);
  path.to(15, -7);
  path.to(15, 92);
  path.to(-200, 2'000'000'092);
  path.to(-200, 2'000'000'092);
  path.dot(-199, 2'000'000'082);
  EXPECT_EQ(path.text(), "m5-7l10 0 0 99-215 2000000000m1-10h0");
}

TEST(RelativePath, MayBeLong) {
  RelativePath path;
  std::string expected = "m1000000000 0l";
  path.to(1'000'000'000, 0);
  for (int i = 1; i < 500; ++i) {
    path.to(i % 2 == 0 ? 1'000'000'000 : -1'000'000'000, i);
    expected += std::string(i == 1 ? "" : i % 2 == 0 ? " " : "") + (i % 2 == 0 ? "2000000000" : "-2000000000") + " 1";
  }
  EXPECT_EQ(path.text(), expected);
  for (int i = 0; i < 100; ++i) path.dot(7, i);
  EXPECT_EQ(path.text().substr(expected.size(), 23), "m1000000007-499h0m0 1h0");
  EXPECT_EQ(path.text().size(), expected.size() + 17 + 99 * 6);
}

}  // namespace
}  // namespace beatscan
