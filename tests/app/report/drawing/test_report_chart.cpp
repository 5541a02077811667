#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "app/report/drawing/chart.h"
#include "app/report/drawing/density.h"
#include "app/report/drawing/ranges.h"
#include "app/report/drawing/relative_path.h"

namespace beatscan {
namespace {

std::vector<std::string> texts_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const auto& tick : ticks) texts.push_back(tick.text);
  return texts;
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

using Texts = std::vector<std::string>;

TEST(ReportTicks, AreAtRoundValuesFarEnoughApart) {
  EXPECT_EQ(texts_of(ticks_of({0, 1, ""}, 50, 500)),
            (Texts{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"}));
  EXPECT_EQ(texts_of(ticks_of({-0.03, 0.05, ""}, 50, 200)), (Texts{"−0.02", "0.00", "0.02", "0.04"}));
  EXPECT_EQ(texts_of(ticks_of({0, 25000, ""}, 50, 150)), (Texts{"0", "10,000", "20,000"}));
  EXPECT_EQ(texts_of(ticks_of({1, 3, "", Axis::Kind::whole}, 50, 1000)), (Texts{"1", "2", "3"}));
}

TEST(ReportTicks, ClocksStepByMinutesAndHours) {
  EXPECT_EQ(texts_of(ticks_of({0, 1800, "", Axis::Kind::time}, 90, 500)), (Texts{"0:00", "10:00", "20:00", "30:00"}));
  EXPECT_EQ(texts_of(ticks_of({0, 80000, "", Axis::Kind::time}, 90, 400)), (Texts{"0:00", "6:00", "12:00", "18:00"}));
}

TEST(ReportTicks, LogarithmicOnesArePowersOfTen) {
  EXPECT_EQ(texts_of(ticks_of({0.7, 2000, "", Axis::Kind::log}, 50, 300)), (Texts{"1", "10", "100", "1,000"}));
  EXPECT_EQ(texts_of(ticks_of({0.7, 60, "", Axis::Kind::log}, 50, 300)), (Texts{"1", "2", "5", "10", "20", "50"}));
  EXPECT_EQ(texts_of(ticks_of({0.004, 0.3, "", Axis::Kind::log}, 50, 300)),
            (Texts{"0.005", "0.01", "0.02", "0.05", "0.1", "0.2"}));
  EXPECT_EQ(texts_of(ticks_of({-5, 40, "", Axis::Kind::symlog, 2}, 50, 300)), (Texts{"0", "−3", "3", "10", "30"}));
}

TEST(ReportChart, PlacesValuesAndKeepsOutliersAtTheEdge) {
  const Chart chart({100, 100, 10, 10, 10, 10}, {0, 8, ""}, {1, 100, "", Axis::Kind::log}, "");
  EXPECT_DOUBLE_EQ(chart.x(4), 50);
  EXPECT_DOUBLE_EQ(chart.x(99), 90);
  EXPECT_DOUBLE_EQ(chart.y(10), 50);
  EXPECT_DOUBLE_EQ(chart.y(0), 90);
}

TEST(ReportChart, ALineIsBrokenWhereThereIsNoValue) {
  Chart chart({100, 100, 0, 0, 0, 0}, {0, 100, ""}, {0, 100, ""}, "");
  const Point points[] = {{0, 0}, {10, 10}, {20, std::nan("")}, {30, 30}, {40, 35.55}};
  EXPECT_NE(chart.line("normal", points).svg().find("d=\"M0 100L10 90M30 70L40 64.5\""), std::string::npos)
      << chart.svg();
}

TEST(ReportChart, WhatIsSaidOfItIsEscaped) {
  Chart chart({100, 100}, {0, 1, "<b>"}, {0, 1, "a & b"}, "\"quoted\"");
  chart.bar("normal", 0, 1, 0, 1, "<i>").vertical("limit", 0.5, "<u>").horizontal("limit", 0.5, "<s>");
  const std::string svg = chart.svg();
  for (const char* raw : {"<b>", "<i>", "<u>", "<s>", "a & b", "=\"\"quoted"})
    EXPECT_EQ(svg.find(raw), svg.npos) << raw;
  for (const char* safe : {"&lt;b&gt;", "&lt;i&gt;", "&lt;u&gt;", "&lt;s&gt;", "a &amp; b", "&quot;quoted"})
    EXPECT_NE(svg.find(safe), svg.npos) << safe;
}

TEST(ReportChart, AnAxisOfOneValueStillHasALength) {
  const Chart chart({100, 100}, {5, 5, ""}, {0, 0, ""}, "");
  EXPECT_TRUE(std::isfinite(chart.x(5)));
  EXPECT_TRUE(std::isfinite(chart.y(0)));
}

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

TEST(ReportThinned, OnePointAPixelIsEnough) {
  const Chart chart({100, 100, 0, 0, 0, 0}, {0, 100, ""}, {0, 100, ""}, "");
  const Point points[] = {{1, 1}, {1.4, 1.2}, {50, 50}, {std::nan(""), 3}, {50.2, 49.7}, {90, 1}};
  EXPECT_EQ(thinned(chart, points, 2).size(), 3u);
}

TEST(ReportHexagons, HoldEveryPointOnceAndAreDarkerWhereMoreAre) {
  const Chart chart({100, 100, 0, 0, 0, 0}, {0, 100, ""}, {0, 100, ""}, "");
  std::vector<Point> points(500, {50, 50});
  points.push_back({10, 10});
  points.push_back({90, 10});
  points.push_back({std::nan(""), 10});
  const std::string svg = hexagons(chart, points, 8);
  EXPECT_EQ(count_of(svg, "z"), 3);                     // three hexagons
  EXPECT_EQ(count_of(svg, "class=\"density d5\""), 1);  // the one with 500 points
  EXPECT_EQ(count_of(svg, "class=\"density d"), 2);     // the two others have one shade
  EXPECT_EQ(hexagons(chart, {}, 8), "");
}

TEST(ReportHexagons, PointsAreInTheNearest) {
  // Width 10: the second row's centres are half a hexagon to the right and 8.66 below the first's.
  const Chart chart({100, 100, 0, 0, 0, 0}, {0, 100, ""}, {0, 100, ""}, "");
  const Point near_second_row[] = {{16, 100 - 8}, {14, 100 - 9}};
  EXPECT_EQ(count_of(hexagons(chart, near_second_row, 10), "z"), 1);
  const Point apart[] = {{16, 100 - 8}, {20, 100 - 1}};
  EXPECT_EQ(count_of(hexagons(chart, apart, 10), "z"), 2);
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
