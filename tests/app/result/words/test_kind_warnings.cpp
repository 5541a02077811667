#include "app/result/words/kind_warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/result/words/usual_width.h"
#include "app/run/kind_doubts.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

// Beats of a usual shape and of a wide one, in 80 blocks of 2 s that span 1 mV each.
RunResult result_of_two_shapes() {
  RunResult result = regular_result();
  result.findings->groups = {{.shape = 1, .kind = Kind::ventricular, .beats = 60}, {.shape = 0, .beats = 140}};
  result.report.templates.width_ms = {200, 100};
  result.beats.lead_quality[0].block_samples = 200;
  result.beats.lead_quality[0].extents.assign(80, {0, 1});
  result.doubts.wraps.resize(1);
  return result;
}

// Looks for doubts that follow from beats and blocks, and returns the warnings.
std::vector<std::string> warnings_about(RunResult result) {
  result.doubts.large_end = large_end(result.beats, *result.findings);
  result.doubts.on_time = beats_on_time(result.beats.found, *result.findings);
  return kind_warnings(result);
}

bool tells_of_kinds(const RunResult& result, const std::string& words) {
  return is_one_line_with(warnings_about(result), words);
}

TEST(KindWarnings, OfAUsualRecordingAreNone) {
  EXPECT_TRUE(warnings_about(result_of_two_shapes()).empty());
  EXPECT_TRUE(kind_warnings(small_result()).empty()) << "as published";
  EXPECT_TRUE(kind_warnings(judged_result()).empty());
}

TEST(KindWarnings, TellOfAConverterThatWrapsRound) {
  auto result = result_of_two_shapes();
  result.doubts.wraps[0] = {.up = 5, .down = 4, .first = 1230};
  EXPECT_TRUE(warnings_about(result).empty());
  result.doubts.wraps[0].down = 5;
  EXPECT_TRUE(
      tells_of_kinds(result, "the signal jumps from one end of its range to the other between two samples, 10 times"));
  EXPECT_TRUE(tells_of_kinds(result, "first at 12.3 s"));
}

TEST(KindWarnings, TellOfRepeatedSamples) {
  auto result = result_of_two_shapes();
  result.doubts.repeats = {.beats = 3, .asked = 7, .first_sample = 1230, .first_lag_samples = 40};
  EXPECT_TRUE(
      tells_of_kinds(result, "beside 3 of 7 V and S beats that were looked at, 0.25 s of samples or more repeat"));
  EXPECT_TRUE(tells_of_kinds(result, "the first at 12.3 s, 0.40 s after the original"));
}

TEST(KindWarnings, TellOfAPacemaker) {
  auto result = result_of_two_shapes();
  result.findings->pacing = {{Chamber::ventricles, -0.0604}, {}};
  EXPECT_TRUE(tells_of_kinds(result,
                             "60 of 200 beats belong to templates with a pacing spike, in most 60 ms before "
                             "the R peak: the ventricles are paced, so these beats are of kind Q"));
  std::fill_n(result.findings->kinds.begin() + 100, 3, Kind::supraventricular);
  std::fill_n(result.findings->kinds.begin() + 110, 2, Kind::supraventricular);
  EXPECT_TRUE(
      tells_of_kinds(result, "alone; 3 beats of kind S in 1 run, the first at 80.0 s, come early without a spike"));
  result.findings->pacing = {{Chamber::atria, -0.15}, {Chamber::atria, 0.002}};
  EXPECT_TRUE(tells_of_kinds(result,
                             "200 of 200 beats belong to templates with a pacing spike, in most 2 ms behind the "
                             "R peak: the atria are paced"));
}

TEST(KindWarnings, TellOfStepsBurstsAndBumps) {
  auto result = result_of_two_shapes();
  result.doubts.steps = {10, 20};
  EXPECT_TRUE(warnings_about(result).empty());
  result.doubts.steps = {10, 20, 30};
  EXPECT_TRUE(
      tells_of_kinds(result, "3 beats in good signal are steps of the signal, the first at 8.0 s: they are of kind Q"));
  std::swap(result.doubts.steps, result.doubts.bursts);
  EXPECT_TRUE(
      tells_of_kinds(result, "3 beats in good signal are ragged bursts, the first at 8.0 s: they are of kind Q"));
  std::swap(result.doubts.bursts, result.doubts.bumps);
  EXPECT_TRUE(tells_of_kinds(result,
                             "3 beats in good signal are bumps like V beats, on or between usual beats that go on in "
                             "time, or near such bumps, the first at 8.0 s: they are of kind Q; movement"));
}

TEST(KindWarnings, TellOfAWideUsualShape) {
  auto result = result_of_two_shapes();
  result.report.templates.width_ms[1] = 124;
  EXPECT_TRUE(warnings_about(result).empty());
  result.report.templates.width_ms[1] = 150;
  EXPECT_TRUE(tells_of_kinds(result, "the usual beat is wide (150 ms by its slopes"));
  result.findings->groups[1].beats = 99;
  EXPECT_TRUE(warnings_about(result).empty()) << "less than half of the beats";
}

// In few beats another shape may be the most common one by chance.
TEST(KindWarnings, TellOfAWideUsualShapeInFewBeats) {
  EXPECT_TRUE(usual_is_wide(150, 0.5, 5));
  EXPECT_TRUE(usual_is_wide(150, 0.5, 49));
  EXPECT_FALSE(usual_is_wide(149, 1, 49));
  EXPECT_TRUE(usual_is_wide(125, 0.5, 50));
  EXPECT_FALSE(usual_is_wide(200, 1, 4));
  EXPECT_FALSE(usual_is_wide(std::nan(""), 1, 50)) << "not known";
}

TEST(KindWarnings, TellOfALargerEnd) {
  auto result = result_of_two_shapes();
  auto& extents = result.beats.lead_quality[0].extents;
  auto& kinds = result.findings->kinds;
  for (int b = 72; b < 80; ++b) extents[b].max = 3;
  EXPECT_TRUE(warnings_about(result).empty()) << "its beats are usual ones";
  for (int i = 180; i < 200; ++i) kinds[i] = i % 2 ? Kind::ventricular : Kind::unknown;
  EXPECT_TRUE(
      tells_of_kinds(result, "from 144 s on the signal is 3.0 times as large as in the rest, and 20 of the 20 beats"));
  extents[75].max = 1;
  EXPECT_TRUE(tells_of_kinds(result, "from 144 s on the signal is 3.0 times as large")) << "one block of eight is not";
  for (int b = 75; b < 80; ++b) extents[b].max = 1;
  EXPECT_TRUE(warnings_about(result).empty()) << "three blocks, and not at an end";
}

TEST(KindWarnings, TellOfALargerBeginning) {
  auto result = result_of_two_shapes();
  for (int b = 0; b < 5; ++b) result.beats.lead_quality[0].extents[b].max = 2;
  for (int i = 0; i < 13; ++i) result.findings->kinds[i] = i % 2 ? Kind::ventricular : Kind::unknown;
  EXPECT_TRUE(
      tells_of_kinds(result, "up to 10 s the signal is 2.0 times as large as in the rest, and 13 of the 13 beats"));
  result.beats.lead_quality[0].extents[0].max = result.beats.lead_quality[0].extents[1].max = 1;
  EXPECT_TRUE(warnings_about(result).empty()) << "three of five blocks are too few";
}

// In a bigeminy, too, where half of the other beats are V.
TEST(KindWarnings, TellOfALargerEndAmongManyVBeats) {
  auto result = result_of_two_shapes();
  auto& kinds = result.findings->kinds;
  for (int b = 75; b < 80; ++b) result.beats.lead_quality[0].extents[b].max = 3;
  const std::int64_t end =
      std::ranges::lower_bound(result.beats.found.r_peaks, 75.0 * 2 * 100) - result.beats.found.r_peaks.begin();
  for (std::int64_t i = 0; i < end; i += 2) kinds[i] = Kind::ventricular;
  std::fill(kinds.begin() + end, kinds.end(), Kind::unknown);
  EXPECT_TRUE(tells_of_kinds(result, "from 150 s on the signal is 3.0 times as large as in the rest"));
  for (std::int64_t i = 1; i < end; i += 4) kinds[i] = Kind::ventricular;
  EXPECT_FALSE(tells_of_kinds(result, "times as large")) << "three quarters elsewhere";
}

TEST(KindWarnings, OfALargerEndNeedHalfOfItsBeats) {
  auto result = result_of_two_shapes();
  auto& kinds = result.findings->kinds;
  for (int b = 72; b < 80; ++b) result.beats.lead_quality[0].extents[b].max = 3;
  std::fill_n(kinds.begin() + 180, 9, Kind::unknown);
  EXPECT_FALSE(tells_of_kinds(result, "times as large")) << "9 of 20";
  kinds[189] = Kind::unknown;
  EXPECT_TRUE(tells_of_kinds(result, "and 10 of the 20 beats there are V or Q"));
}

TEST(KindWarnings, TellOfALargerEndThatHasAllBeats) {
  auto result = result_of_two_shapes();
  for (int b = 75; b < 80; ++b) result.beats.lead_quality[0].extents[b].max = 3;
  for (double& peak : result.beats.found.r_peaks) peak = 15'000 + peak / 20;
  std::ranges::fill(result.findings->kinds, Kind::unknown);
  EXPECT_TRUE(tells_of_kinds(result, "from 150 s on the signal is 3.0 times as large"));
}

TEST(KindWarnings, TellOfVBeatsOnTime) {
  auto result = result_of_two_shapes();
  auto& kinds = result.findings->kinds;
  for (int i = 0; i < 19; ++i) kinds[10 + 3 * i] = Kind::ventricular;
  EXPECT_TRUE(warnings_about(result).empty()) << "19 are few";
  kinds[100] = Kind::ventricular;
  EXPECT_TRUE(tells_of_kinds(result, "20 of 20 V beats, the first at 8.0 s, come just when a usual beat would"));
  for (int i = 0; i < 19; ++i) result.beats.found.r_peaks[10 + 3 * i] -= 20;
  EXPECT_TRUE(warnings_about(result).empty()) << "early ones";
}

// A bundle branch block comes for five beats at the usual rate; a tachycardia has its own.
TEST(KindWarnings, TellOfARunOfVBeatsOnTime) {
  auto result = result_of_two_shapes();
  auto& kinds = result.findings->kinds;
  std::fill_n(kinds.begin() + 40, 4, Kind::ventricular);
  EXPECT_TRUE(warnings_about(result).empty()) << "four are few";
  kinds[44] = Kind::ventricular;
  EXPECT_TRUE(tells_of_kinds(result, "5 of 5 V beats"));
  std::fill_n(kinds.begin() + 40, 40, Kind::ventricular);
  auto& r_peaks = result.beats.found.r_peaks;
  const auto was = r_peaks;
  for (std::size_t i = 40; i < r_peaks.size(); ++i)
    r_peaks[i] = r_peaks[i - 1] + (was[i] - was[i - 1]) * (i < 81 ? 0.5 : 1);
  EXPECT_TRUE(warnings_about(result).empty()) << "their own intervals are no measure";
}

// The mean beats of three templates in one lead, 256 points of 0.45 s: two narrow waves of unlike sizes, and a wide
// one.
TEST(KindWarnings, TellOfSThatLookUnlikeUsualBeats) {
  auto result = result_of_two_shapes();
  result.findings->groups = {{.shape = 0, .beats = 140},
                             {.shape = 1, .kind = Kind::supraventricular, .beats = 30},
                             {.shape = 2, .kind = Kind::supraventricular, .beats = 10}};
  result.report.templates.width_ms = {100, 100, 100};
  result.report.row_before_s = 0.15, result.report.row_after_s = 0.3;
  result.report.reference_leads = {0};
  result.report.templates.lead_weights = {1};
  const auto put = [&](double size, double sigma_s) {
    for (int i = 0; i < 256; ++i) {
      const double time = i * 0.45 / 255 - 0.15;
      result.report.templates.means.push_back(static_cast<float>(size * std::exp(-time * time / sigma_s / sigma_s)));
    }
  };
  put(1, 0.02), put(0.5, 0.02), put(1, 0.05);
  EXPECT_TRUE(tells_of_kinds(result, "10 beats of kind S, in 1 template, look unlike the usual beats (correlation"));
  result.findings->groups[2].beats = 9;
  EXPECT_TRUE(warnings_about(result).empty()) << "few beats";
  result.findings->groups[2] = {.shape = 2, .kind = Kind::normal, .beats = 10};
  EXPECT_TRUE(warnings_about(result).empty());
  result.findings->groups[1] = {.shape = 1, .kind = Kind::ventricular, .beats = 30};
  EXPECT_TRUE(warnings_about(result).empty()) << "no beat is S";
}

}  // namespace
}  // namespace beatscan
