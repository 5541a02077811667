#include "app/result/words/aberrant_shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "app/result/words/kind_warnings.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

constexpr int kBeatPoints = 256;  // of 0.45 s, with the R peak at 0.15 s

double time_of(int point) { return point * 0.45 / (kBeatPoints - 1) - 0.15; }

// Appends the mean beat of a template: a wave whose part behind the R peak is `behind` as wide, turned round if
// `upside_down`.
void put_mean_beat(RunResult& result, double behind, bool upside_down = false) {
  for (int i = 0; i < kBeatPoints; ++i) {
    const double width_s = time_of(i) < 0 ? 0.02 : 0.02 * behind;
    const double value = std::exp(-std::pow(time_of(i) / width_s, 2));
    result.report.templates.means.push_back(static_cast<float>(upside_down ? -value : value));
  }
}

// Puts the V beats where they come after `before` of the usual interval, and the next beat `behind` of it later.
void move_beats(RunResult& result, double before, double behind) {
  auto& r_peaks = result.beats.found.r_peaks;
  for (std::size_t i = 1; i < r_peaks.size(); ++i) {
    const bool is_ventricular = result.findings->kinds[i] == Kind::ventricular,
               is_next = result.findings->kinds[i - 1] == Kind::ventricular;
    r_peaks[i] = r_peaks[i - 1] + 80 * (is_ventricular ? before : is_next ? behind : 1);
  }
}

// Usual beats, and every tenth one V of a shape of its own. It comes after half of the usual interval, and the next
// beat a whole interval behind it.
RunResult result_with_aberrant_beats() {
  RunResult result = regular_result();
  for (std::size_t i = 5; i < 200; i += 10) {
    result.findings->kinds[i] = Kind::ventricular;
    result.findings->templates[i] = 1;
  }
  move_beats(result, 0.5, 1);
  result.findings->groups = {{.shape = 0, .beats = 180}, {.shape = 1, .kind = Kind::ventricular, .beats = 20}};
  result.report.row_before_s = 0.15, result.report.row_after_s = 0.3;
  result.report.reference_leads = {0};
  result.report.templates.lead_weights = {1};
  put_mean_beat(result, 1), put_mean_beat(result, 4);
  return result;
}

TEST(AberrantShapes, TellsOfVThatBeginLikeUsualBeatsAndHaveNoPauseBehind) {
  const std::string warning = aberrant_shapes_warning(result_with_aberrant_beats());
  EXPECT_EQ(warning.substr(0, warning.find(':')),
            "20 beats of kind V, in 1 template, begin like the usual beats, and mostly no pause follows");
}

TEST(AberrantShapes, IsOneOfTheWarningsOfKinds) {
  EXPECT_TRUE(is_one_line_with(kind_warnings(result_with_aberrant_beats()), "aberrant conduction"));
}

TEST(AberrantShapes, SaysNothingOfBeatsThatBeginOtherwise) {
  auto result = result_with_aberrant_beats();
  result.report.templates.means.resize(kBeatPoints);
  put_mean_beat(result, 4, true);
  EXPECT_EQ(aberrant_shapes_warning(result), "");
}

// Both intervals of a beat, in usual ones.
TEST(AberrantShapes, TellsBeatsByTheirIntervals) {
  auto result = result_with_aberrant_beats();
  struct Case {
    double before, behind;
    bool told;
    const char* why;
  };
  for (const auto& [before, behind, told, why] :
       {Case{0.65, 1, true, "early"}, Case{0.72, 0.9, false, "hardly early"}, Case{0.6, 1.4, false, "a pause behind"},
        Case{0.68, 1.05, false, "a little pause behind"}, Case{0.5, 0.5, false, "interpolated"},
        Case{0.3, 0.75, false, "interpolated, and the next beat late"}, Case{0.5, 0.65, false, "a couplet"},
        Case{0.35, 0.8, true, "on a T wave"}, Case{1, 1, false, "on time"}}) {
    move_beats(result, before, behind);
    EXPECT_EQ(aberrant_shapes_warning(result) != "", told) << why;
  }
}

// The usual beat behind an interpolated one comes as early, and is V here by mistake.
TEST(AberrantShapes, SaysNothingOfBeatsBehindV) {
  auto result = result_with_aberrant_beats();
  for (std::size_t i = 4; i < 200; i += 10) {
    result.findings->kinds[i] = Kind::ventricular;
    result.findings->templates[i] = 0;
  }
  EXPECT_EQ(aberrant_shapes_warning(result), "");
}

TEST(AberrantShapes, NeedsTheWholeBeginning) {
  auto result = result_with_aberrant_beats();
  result.report.row_before_s = 0.1;
  EXPECT_EQ(aberrant_shapes_warning(result), "");
}

// Every third beat is V, and two of three are looked at.
TEST(AberrantShapes, TellsWhereThreeFifthsOfTheBeatsAreSo) {
  for (const auto& [with_pause, told] : {std::pair(3, true), std::pair(2, false)}) {
    auto result = result_with_aberrant_beats();
    auto& kinds = result.findings->kinds;
    auto& r_peaks = result.beats.found.r_peaks;
    for (std::size_t i = 1, ventricular = 0; i < r_peaks.size(); ++i) {
      kinds[i] = i % 3 == 2 ? Kind::ventricular : Kind::normal;
      result.findings->templates[i] = i % 3 == 2;
      const bool is_next = kinds[i - 1] == Kind::ventricular && ++ventricular % with_pause == 0;
      r_peaks[i] = r_peaks[i - 1] + (i % 3 == 2 ? 40 : is_next ? 120 : 80);
    }
    EXPECT_EQ(aberrant_shapes_warning(result) != "", told) << "one of " << with_pause << " with a pause";
  }
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
