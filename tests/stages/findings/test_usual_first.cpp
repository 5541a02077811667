// Tests which shape of a made-up ECG is the usual one, by the kinds that the program tells.
#include "stages/findings/usual_first.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/stages/findings/made_ecg.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

template <class Context>
using UsualFirst = OnBackend<Context>;
TYPED_TEST_SUITE(UsualFirst, Backends, BackendNames);

// Beats at 72 a minute, with intervals that vary a little.
double varied(int beat) { return 60.0 / 72 * (beat + 0.02 * std::sin(1.7 * beat) + 0.015 * std::sin(0.43 * beat)); }

TYPED_TEST(UsualFirst, InABigeminyWithoutEndTheWideEarlyBeatsAreVentricular) {
  for (const int count : {60, 500, 1001, 1024}) {
    std::vector<MadeBeat> beats;
    for (int i = 0; i < count; ++i) beats.push_back({1 + varied(i) - (i % 2 ? 0.25 : 0), i % 2 == 1});
    const auto [wide, narrow] = ventricular_of<TypeParam>(beats);
    EXPECT_GE(wide, count / 2 - 1) << count;
    EXPECT_EQ(narrow, 0) << count;
  }
}

// Couplets between single usual beats: two of three beats are ventricular.
TYPED_TEST(UsualFirst, TheLargestShapeMayBeVentricular) {
  std::vector<MadeBeat> beats;
  for (int i = 0; i < 900; ++i) beats.push_back({1 + varied(i) - (i % 3 ? 0.28 : 0), i % 3 != 0});
  const auto [wide, narrow] = ventricular_of<TypeParam>(beats);
  EXPECT_GE(wide, 570) << "of 600";
  EXPECT_EQ(narrow, 0);
  for (const char* setting : {"findings.usual_narrower=3", "findings.usual_on_time=1"})
    EXPECT_LT(ventricular_of<TypeParam>(beats, setting).first, 100) << setting << ": the largest shape stays usual";
}

// A block that comes and goes makes most beats wide, but none early.
TYPED_TEST(UsualFirst, BeatsOfABlockThatComesAndGoesAreUsual) {
  std::vector<MadeBeat> beats;
  for (int i = 0; i < 900; ++i) beats.push_back({1 + varied(i), i % 100 >= 40});
  const auto [wide, narrow] = ventricular_of<TypeParam>(beats);
  EXPECT_EQ(wide, 0);
  EXPECT_LE(narrow, 360);
}

}  // namespace
}  // namespace beatscan
