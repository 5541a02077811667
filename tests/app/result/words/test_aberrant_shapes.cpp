#include "app/result/words/aberrant_shapes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/small_result.h"

namespace beatscan {
namespace {

constexpr int kPoints = 256;  // of 0.45 s, with the R peak at 0.15 s

double time_of(int point) { return point * 0.45 / (kPoints - 1) - 0.15; }

// Appends the mean beat of a template: a wave whose part behind the R peak is `behind` as wide, turned round if
// `upside_down`.
void put_mean_beat(RunResult& result, double behind, bool upside_down = false) {
  for (int i = 0; i < kPoints; ++i) {
    const double width_s = time_of(i) < 0 ? 0.02 : 0.02 * behind;
    const double value = std::exp(-std::pow(time_of(i) / width_s, 2));
    result.report.templates.means.push_back(static_cast<float>(upside_down ? -value : value));
  }
}

// Usual beats, and every tenth one V of a shape of its own. It comes after half of the usual interval, and the next
// beat a whole interval behind it.
RunResult result_with_aberrant_beats() {
  RunResult result = regular_result();
  auto& found = result.beats.found;
  double shift = 0;
  for (std::size_t i = 0; i < found.r_peaks.size(); ++i) {
    if (i % 10 == 5) {
      shift += 40;
      result.findings->kinds[i] = Kind::ventricular;
      result.findings->templates[i] = 1;
    }
    found.r_peaks[i] -= shift;
  }
  result.findings->groups = {{.shape = 0, .beats = 180}, {.shape = 1, .kind = Kind::ventricular, .beats = 20}};
  result.report.row_before_s = 0.15, result.report.row_after_s = 0.3;
  result.report.reference_leads = {0};
  put_mean_beat(result, 1), put_mean_beat(result, 4);
  return result;
}

TEST(AberrantShapes, TellsOfVThatBeginLikeUsualBeatsAndHaveNoPauseBehind) {
  const std::string warning = aberrant_shapes_warning(result_with_aberrant_beats());
  EXPECT_EQ(warning.substr(0, warning.find(':')),
            "20 beats of kind V, in 1 template, begin like the usual beats, and no pause follows");
}

TEST(AberrantShapes, SaysNothingOfBeatsThatBeginOtherwise) {
  auto result = result_with_aberrant_beats();
  result.report.templates.means.resize(kPoints);
  put_mean_beat(result, 4, true);
  EXPECT_EQ(aberrant_shapes_warning(result), "");
}

TEST(AberrantShapes, SaysNothingOfBeatsWithAPauseBehind) {
  auto result = result_with_aberrant_beats();
  double shift = 0;
  auto& r_peaks = result.beats.found.r_peaks;
  for (std::size_t i = 0; i < r_peaks.size(); ++i) {
    if (i % 10 == 6) shift += 30;
    r_peaks[i] += shift;
  }
  EXPECT_EQ(aberrant_shapes_warning(result), "");
}

TEST(AberrantShapes, SaysNothingOfInterpolatedBeatsAndOfBeatsOnTime) {
  auto result = result_with_aberrant_beats();
  auto& r_peaks = result.beats.found.r_peaks;
  for (std::size_t i = 0; i < r_peaks.size(); ++i) r_peaks[i] -= 40 * static_cast<double>((i + 4) / 10);
  EXPECT_EQ(aberrant_shapes_warning(result), "") << "half an interval before and behind";
  for (std::size_t i = 0; i < r_peaks.size(); ++i) r_peaks[i] = 80 * static_cast<double>(i);
  EXPECT_EQ(aberrant_shapes_warning(result), "") << "on time";
}

TEST(AberrantShapes, SaysNothingOfFewBeats) {
  auto result = result_with_aberrant_beats();
  result.findings->groups[1].beats = 9;
  EXPECT_EQ(aberrant_shapes_warning(result), "") << "a small template";
  result.findings->groups[1].beats = 20;
  for (std::size_t i = 45; i < 200; i += 10) result.beats.found.broken[i] = 1;
  EXPECT_EQ(aberrant_shapes_warning(result), "") << "four beats with known intervals";
  EXPECT_EQ(aberrant_shapes_warning(regular_result()), "") << "no V, and no mean beats";
}

// V beats that follow each other have no usual interval to be early in.
TEST(AberrantShapes, SaysNothingWithoutUsualBeatsAround) {
  auto result = result_with_aberrant_beats();
  for (std::size_t i = 0; i < 200; ++i) {
    const bool is_ventricular = i % 2 == 1;
    result.findings->kinds[i] = is_ventricular ? Kind::ventricular : Kind::normal;
    result.findings->templates[i] = is_ventricular;
  }
  EXPECT_EQ(aberrant_shapes_warning(result), "");
}

}  // namespace
}  // namespace beatscan
