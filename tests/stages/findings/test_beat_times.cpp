#include "stages/findings/beat_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/stages/findings/made_ecg.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

TEST(RatioBefore, CountsFromTheBeatBeforeAnInterpolatedOne) {
  const auto ratio = [](const std::vector<double>& rr, std::int64_t i) {
    return ratio_before(rr, std::vector<double>(rr.size(), 100), i, 0.88);
  };
  const std::vector<double> interpolated{100, 50, 52, 101};
  EXPECT_EQ(ratio(interpolated, 1), 0.5) << "the extrasystole itself is early";
  EXPECT_EQ(ratio(interpolated, 2), 1.02) << "the beat behind it is not";
  EXPECT_EQ(ratio(interpolated, 3), 1.01);
  EXPECT_EQ(ratio({100, 50, 50, 150}, 2), 0.5) << "a couplet with a pause behind it";
  EXPECT_EQ(ratio({100, 50, 50, 50}, 2), 0.5) << "a run";
  EXPECT_EQ(ratio({100, 90, 50, 100}, 2), 0.5) << "no early beat before it";
  EXPECT_EQ(ratio({100, 30, 50, 100}, 2), 0.5) << "both are soon";
  EXPECT_EQ(ratio({50, 100, 100}, 0), 0.5) << "the first beat";
  EXPECT_EQ(ratio({100, 50, 50}, 2), 0.5) << "the last beat: what follows is not known";
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ratio({100, unknown, 50, 100}, 2), 0.5);
  EXPECT_EQ(ratio({100, 50, 50, unknown}, 2), 0.5);
  EXPECT_TRUE(std::isnan(ratio({100, 50, unknown, 100}, 2)));
}

template <class Context>
using Interpolated = OnBackend<Context>;
TYPED_TEST_SUITE(Interpolated, Backends, BackendNames);

// At one beat a second, a wide beat 0.6 s after every seventh one. The narrow beat behind it lies on its T wave, and so
// has a shape of its own.
TYPED_TEST(Interpolated, ExtrasystolesAloneAreVentricular) {
  std::vector<MadeBeat> beats;
  std::int64_t extra = 0;
  for (int i = 0; i < 750; ++i) {
    const double at_s = 1 + i + 0.01 * std::sin(1.7 * i);
    beats.push_back({at_s, false});
    if (i % 7 != 3) continue;
    beats.push_back({at_s + 0.6, true});
    ++extra;
  }
  const auto [wide, narrow] = ventricular_of<TypeParam>(beats);
  EXPECT_GE(wide, extra - 2);
  EXPECT_EQ(narrow, 0);
}

TEST(BeatTimes, TheMedianOfTheIntervalsAround) {
  const std::vector<double> r_peaks{0, 10, 30, 60, 100, 150, 210};  // the interval from i is 10 (i + 1)
  const std::vector<std::int64_t> intervals{0, 1, 3, 4, 5};
  EXPECT_EQ(median_interval(r_peaks, intervals, 3, 1), 30) << "from 1 and from 3";
  EXPECT_EQ(median_interval(r_peaks, intervals, 3, 9), 40);
  EXPECT_EQ(median_interval(r_peaks, intervals, 0, 2), 15) << "none before";
  EXPECT_EQ(median_interval(r_peaks, intervals, 6, 2), 55) << "none behind";
  EXPECT_EQ(median_interval(r_peaks, {}, 3, 9), 0);
}

}  // namespace
}  // namespace beatscan
