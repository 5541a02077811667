#include <gtest/gtest.h>

#include <algorithm>

#include "tests/app/result/words/even_result.h"

namespace beatscan {
namespace {

TEST(PauseWarnings, TellOfSecondsWithoutABeatAtAnEnd) {
  auto result = even_result(80, 200);
  const double rate_hz = *result.input.sample_rate_hz, last = result.beats.found.r_peaks.back();
  result.input.samples = static_cast<std::int64_t>(last + 3.9 * rate_hz);
  EXPECT_EQ(finding_warnings(result), Lines{});
  result.input.samples = static_cast<std::int64_t>(last + 10 * rate_hz);
  EXPECT_TRUE(says(result, "no beat was found in the last 10.0 s"));
  result.beats.evidence.emplace();
  EXPECT_TRUE(says(result, "s: asystole, noise, or an electrode that was not on"));
  result.beats.evidence->certain_end = 1;
  EXPECT_TRUE(says(result, "s: asystole (ASYS), or an electrode that was not on"));
  result.beats.evidence->certain_end = 0.25F;
  EXPECT_TRUE(says(result, "s: the electrode may be off, because hum or drift differ"));
}

// A result with one long interval in which the signal is not still.
RunResult with_long_interval(double seconds) {
  auto result = even_result(80, 190, 200);
  auto& found = result.beats.found;
  for (std::size_t i = 100; i < found.r_peaks.size(); ++i)
    found.r_peaks[i] += (seconds - 0.8) * *result.input.sample_rate_hz;
  result.input.samples = static_cast<std::int64_t>(found.r_peaks.back()) + 1;
  result.rhythm.emplace();
  result.rhythm->episodes.hidden.assign(found.broken.size(), 0);
  result.beats.evidence.emplace();
  result.beats.evidence->silent.assign(found.broken.size(), 0);
  return result;
}

TEST(PauseWarnings, TellOfALongIntervalThatIsNoPause) {
  auto result = with_long_interval(2.1);
  EXPECT_TRUE(says(result, "1 long interval without a beat, the longest 2.1 s at 79.2 s, is no PAUSE"));
  result.beats.found.quality[99] = Quality::noisy;
  EXPECT_EQ(finding_warnings(result), Lines{}) << "noise hides beats";
  result = with_long_interval(1.9);
  EXPECT_EQ(finding_warnings(result), Lines{});
  result = with_long_interval(4.1);
  result.beats.found.quality[99] = Quality::noisy;
  EXPECT_TRUE(says(result, "the longest 4.1 s"));
  result.beats.evidence->silent[99] = 1;
  EXPECT_EQ(finding_warnings(result), Lines{}) << "it is a PAUSE";
}

TEST(PauseWarnings, TellOfALeadThatRestsBesideNoise) {
  auto result = even_result(80, 200);
  const auto at = [&](double second) { return static_cast<std::int64_t>(second * *result.input.sample_rate_hz); };
  result.input.leads = {{.name = "II"}, {.name = "V5"}};
  result.beats.resting = {{1, {at(20), at(28.5)}, 14}};
  EXPECT_TRUE(says(result,
                   "14 beats were left out from 20.0 to 28.5 s, where lead 'V5' shows none and the others are noise: "
                   "the heart may stand still, the electrode of that lead may be off, or a tachycardia may not"));
  result.beats.resting = {{1, {at(20), at(24)}, 7}, {0, {at(60), at(65)}, 1}};
  EXPECT_TRUE(says(result,
                   "8 beats were left out in 2 stretches where one lead shows none and the others are noise, the "
                   "longest from 60.0 to 65.0 s in lead 'II': the heart may stand still, the electrode of that lead "
                   "may be off, or a tachycardia may not"));
}

// Fibrillation hides its whole interval from PAUSE and ASYS.
TEST(PauseWarnings, TellOfSecondsWithoutABeatBesideFibrillation) {
  const auto with_fibrillation = [](double first_s, double last_s) {  // in an interval from 79.2 s to 109.2 s
    auto result = with_long_interval(30);
    const double rate_hz = *result.input.sample_rate_hz;
    result.rhythm->episodes.hidden[99] = 1;
    result.rhythm->episodes.list = {{.start = first_s * rate_hz,
                                     .end = last_s * rate_hz,
                                     .label = EpisodeLabel::ventricular_fibrillation,
                                     .confidence = 1}};
    return result;
  };
  const auto tells = [](const RunResult& result, const std::string& words) {
    return std::ranges::any_of(finding_warnings(result),
                               [&](const std::string& line) { return line.find(words) != std::string::npos; });
  };
  const std::string words = "beside ventricular fibrillation or flutter there ";
  EXPECT_TRUE(tells(with_fibrillation(79.2, 95), words + "is 1 stretch without a beat, of 14.2 s at 95.0 s"));
  EXPECT_TRUE(
      tells(with_fibrillation(90, 100), words + "are 2 stretches without a beat, the longest of 10.8 s at 79."));
  EXPECT_FALSE(tells(with_fibrillation(70, 104), words)) << "5.2 s are left, and 6 are needed";
  EXPECT_FALSE(tells(with_fibrillation(85, 103.5), words));
  auto result = with_fibrillation(79.2, 95);
  result.rhythm->episodes.list.push_back({.start = 9500, .end = 10920, .label = EpisodeLabel::noise, .confidence = 1});
  EXPECT_FALSE(tells(result, words)) << "noise is told there";
  result.rhythm->episodes.list = {{.start = 7920, .end = 9000, .label = EpisodeLabel::ventricular_flutter},
                                  {.start = 8500, .end = 9400, .label = EpisodeLabel::gap}};
  EXPECT_TRUE(tells(result, words + "is 1 stretch without a beat, of 15.2 s at 94.0 s"));
}

// A result with an interval of 5 s that is silent, and as certain as this.
RunResult with_pause(float certain, EpisodeLabel label) {
  auto result = even_result(80, 190, 200);
  auto& found = result.beats.found;
  const double rate_hz = *result.input.sample_rate_hz;
  for (std::size_t i = 100; i < found.r_peaks.size(); ++i) found.r_peaks[i] += 5 * rate_hz;
  result.input.samples = static_cast<std::int64_t>(found.r_peaks.back()) + 1;
  result.rhythm.emplace();
  result.rhythm->episodes.hidden.assign(found.broken.size(), 0);
  result.rhythm->episodes.list = {{found.r_peaks[99], found.r_peaks[100], label, 2}};
  result.beats.evidence.emplace();
  result.beats.evidence->silent.assign(found.broken.size(), 1);
  result.beats.evidence->certain.assign(found.broken.size(), certain);
  return result;
}

TEST(PauseWarnings, TellOfPausesThatAreNotCertain) {
  EXPECT_EQ(finding_warnings(with_pause(1, EpisodeLabel::pause)), Lines{});
  EXPECT_TRUE(says(with_pause(0.5F, EpisodeLabel::pause), "1 pause, the longest 5.8 s at 79.2 s, is half certain"));
  EXPECT_TRUE(says(with_pause(0.25F, EpisodeLabel::pause), "may be an electrode that came off"));
}

TEST(PauseWarnings, TellOfAsystoleHoweverCertain) {
  EXPECT_TRUE(says(with_pause(1, EpisodeLabel::asystole), "no heartbeat (ASYS) is reported once, for 5.8 s at 79.2 s"));
}

}  // namespace
}  // namespace beatscan
