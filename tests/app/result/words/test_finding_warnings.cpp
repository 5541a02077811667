#include "app/result/words/finding_warnings.h"

#include <gtest/gtest.h>
#include <algorithm>

#include "app/result/words/rate_warnings.h"
#include "tests/app/result/words/even_result.h"

namespace beatscan {
namespace {

TEST(FindingWarnings, OfAUsualRecordingAreNone) {
  EXPECT_EQ(finding_warnings(even_result(80, 90)), Lines{});
  EXPECT_EQ(finding_warnings(ranked_result()), Lines{}) << "nothing is known of its shapes";
}

TEST(FindingWarnings, TellOfFewBeats) {
  EXPECT_EQ(finding_warnings(even_result(80, 49, 50)), Lines{});
  EXPECT_TRUE(says(even_result(80, 48, 49), "only 49 beats show what is normal here"));
}

TEST(FindingWarnings, TellOfARateThatIsNotSinusRhythm) {
  EXPECT_EQ(finding_warnings(even_result(60, 90)), Lines{}) << "100 a minute";
  EXPECT_TRUE(says(even_result(59, 90), "the heart rate is 102 a minute by the median, above 100, which is not usual"));
  EXPECT_EQ(finding_warnings(even_result(120, 90)), Lines{}) << "50 a minute";
  EXPECT_TRUE(says(even_result(125, 90), "the heart rate is 48 a minute by the median, below 50, which is not usual"));
  EXPECT_TRUE(says(even_result(125, 90), "every other beat is too small to be found; the sampling rate is wrong"));
}

TEST(FindingWarnings, TellOfShortAndLongIntervalsThatTakeTurns) {
  auto result = even_result(80, 90, 101);
  for (std::size_t i = 1; i < 101; ++i)
    result.beats.found.r_peaks[i] = result.beats.found.r_peaks[i - 1] + (i % 3 == 0 ? 120 : 55);
  const auto lines = finding_warnings(result);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "the heart rate is 109 a minute by the median interval, and 78 by the mean: short and long intervals take "
            "turns, as in bigeminy");
  EXPECT_NE(lines[1].find("the rhythm is irregular"), std::string::npos);
}

TEST(FindingWarnings, TellOfTwoShapesThatCompete) {
  EXPECT_EQ(finding_warnings(even_result(80, 76)), Lines{});
  EXPECT_TRUE(says(even_result(80, 75), "no shape is plainly the usual one"));
  auto several = even_result(80, 59);
  several.findings->groups = {{.shape = 0, .beats = 59}, {.shape = 1, .beats = 21}, {.shape = 2, .beats = 20}};
  EXPECT_TRUE(says(several, "59.0 % and 21.0 %")) << "the largest is small";
  several.findings->groups = {{.shape = 0, .beats = 50}, {.shape = 0, .beats = 30}, {.shape = 1, .beats = 20}};
  EXPECT_EQ(finding_warnings(several), Lines{}) << "usual and early beats have one shape";
}

// Of 400 beats, 78 come early by 30 %: that makes three steps each, and two where early ones follow one another.
TEST(FindingWarnings, TellOfAnIrregularRhythm) {
  auto result = even_result(80, 390, 400);
  for (std::size_t i = 5; i < 395; i += 5) result.beats.found.r_peaks[i] -= 24;
  EXPECT_TRUE(says(
      result, "the rhythm is irregular: 58.8 % of the RR intervals between beats in good signal that are not V differ"))
      << finding_warnings(result)[0];
  EXPECT_EQ(rhythm_steps(result.beats.found).pairs, 398);
  EXPECT_EQ(rhythm_steps(result.beats.found).irregular, 234);
  result.beats.found.quality.assign(400, Quality::noisy);
  EXPECT_EQ(finding_warnings(result), Lines{}) << "nothing is told in noise";
  result.beats.found.quality.assign(400, Quality::good);
  result.beats.found.broken.assign(399, 1);
  EXPECT_EQ(rhythm_steps(result.beats.found).pairs, 0);
}

TEST(FindingWarnings, TellOfALongRunOfEarlyBeats) {
  auto result = even_result(80, 200);
  auto& kinds = result.findings->kinds;
  kinds.assign(result.beats.found.r_peaks.size(), Kind::normal);
  std::fill_n(kinds.begin() + 10, 29, Kind::supraventricular);
  EXPECT_EQ(finding_warnings(result), Lines{});
  kinds[39] = Kind::supraventricular;
  EXPECT_TRUE(says(result, "30 beats in a row are called early (S)"));
}

TEST(FindingWarnings, TellOfARateThatChangesAndStays) {
  auto result = even_result(80, 390, 400);
  auto& r_peaks = result.beats.found.r_peaks;
  result.findings->kinds.assign(r_peaks.size(), Kind::normal);
  for (std::size_t i = 100; i < r_peaks.size(); ++i) r_peaks[i] = r_peaks[99] + 0.8 * (r_peaks[i] - r_peaks[99]);
  EXPECT_TRUE(says(result, "the heart rate changes at once from "));
  result.rhythm.emplace();
  result.rhythm->episodes.list = {{0, r_peaks.back(), EpisodeLabel::atrial_fibrillation, 400}};
  EXPECT_FALSE(says(result, "the heart rate changes at once")) << "no step stands out in atrial fibrillation";
  result.rhythm.reset();
  result.findings->kinds[101] = Kind::supraventricular;
  result.findings->kinds[102] = Kind::supraventricular;
  EXPECT_FALSE(says(result, "the heart rate changes at once")) << "they are early beats";
}

TEST(FindingWarnings, ARateThatChangesStaysFor120BeatsOrToTheEnd) {
  for (const std::int64_t beats : {20, 40, 100, 130, 300}) {  // faster ones, of which the last 300 reach the end
    auto result = even_result(80, 390, 400);
    auto& r_peaks = result.beats.found.r_peaks;
    result.findings->kinds.assign(r_peaks.size(), Kind::normal);
    double at = r_peaks[99];
    for (std::size_t i = 100; i < r_peaks.size(); ++i) r_peaks[i] = at += std::cmp_less(i, 100 + beats) ? 64 : 80;
    EXPECT_EQ(says(result, "the heart rate changes at once"), beats > 100) << beats;
    r_peaks.resize(100 + beats), result.findings->kinds.resize(100 + beats),
        result.beats.found.broken.resize(99 + beats);
    result.beats.found.quality.resize(100 + beats);
    EXPECT_EQ(says(result, "the heart rate changes at once"), beats > 30) << beats << " to the end";
  }
}

TEST(FindingWarnings, TellOfARestlessFastRhythm) {
  auto result = even_result(40, 390, 400);
  ASSERT_EQ(finding_warnings(result).size(), 1U) << "the rate";
  result.beats.found.quality.assign(result.beats.found.r_peaks.size(), Quality::noisy);
  ASSERT_EQ(finding_warnings(result).size(), 2U);
  EXPECT_NE(finding_warnings(result)[1].find("counts as noisy, but they come regularly"), std::string::npos);
}

// A result in which these are the episodes.
RunResult with_episodes(std::vector<Episode> episodes) {
  auto result = even_result(80, 190, 200);
  result.input.samples = static_cast<std::int64_t>(result.beats.found.r_peaks.back()) + 1;
  result.rhythm.emplace();
  result.rhythm->episodes.list = std::move(episodes);
  return result;
}

TEST(FindingWarnings, TellOfAtrialFibrillationThatIsHardlyToldFromSinusRhythm) {
  const auto af = [](double confidence) {
    return Episode{
        .start = 0, .end = 5000, .label = EpisodeLabel::atrial_fibrillation, .beats = 150, .confidence = confidence};
  };
  EXPECT_TRUE(says(with_episodes({af(0.3)}),
                   "(AFIB) is told for 50 s, by the intervals of 150 beats, with a confidence of 0.30: sinus rhythm"));
  EXPECT_EQ(finding_warnings(with_episodes({af(0.36)})), Lines{});
  EXPECT_EQ(finding_warnings(with_episodes({af(0.1), af(0.9)})), Lines{}) << "on average it is certain";
  auto brief = af(1);
  brief.beats = 149;
  EXPECT_TRUE(says(with_episodes({brief}), "looks like that in so few beats; look for P waves in the strip"));
}

TEST(FindingWarnings, TellOfVentricularFibrillationHoweverCertain) {
  const auto vf = [](double first, double last, EpisodeLabel label) {
    return Episode{.start = first, .end = last, .label = label, .confidence = 0.9};
  };
  using enum EpisodeLabel;
  EXPECT_TRUE(says(with_episodes({vf(1000, 2000, ventricular_fibrillation)}),
                   "is reported once, for 10.0 s at 10.0 s with a confidence of 0.90: look at the strip"));
  EXPECT_TRUE(says(with_episodes({vf(1000, 2000, ventricular_fibrillation), vf(3000, 4500, ventricular_flutter)}),
                   "is reported 2 times, the longest 15.0 s at 30.0 s"));
}

// Ten beats are 80 samples apart at first, which is 75 a minute, and 50 in the end, which is 120.
TEST(FindingWarnings, TellOfBigeminyThatIsFast) {
  const Episode bigeminy{.start = 800, .end = 1520, .label = EpisodeLabel::bigeminy, .beats = 10};
  auto result = with_episodes({bigeminy});
  result.rhythm->episodes.hidden.assign(result.beats.found.broken.size(), 0);
  EXPECT_EQ(finding_warnings(result), Lines{});
  auto& r_peaks = result.beats.found.r_peaks;
  for (std::size_t i = 11; i < 20; ++i) r_peaks[i] = r_peaks[10] + 50 * static_cast<double>(i - 10);
  result.rhythm->episodes.list[0].end = r_peaks[19];
  EXPECT_TRUE(says(result, "bigeminy at up to 120 beats a minute, at 8.0 s: a ventricular tachycardia in which"));
}

TEST(FindingWarnings, TellOfEarlyRunsThatComeIrregularly) {
  const auto svt = [](double first, double last, std::int64_t beats) {
    return Episode{.start = first, .end = last, .label = EpisodeLabel::supraventricular_tachycardia, .beats = beats};
  };
  auto result = with_episodes({svt(800, 2320, 20)});
  EXPECT_EQ(finding_warnings(result), Lines{});
  for (std::size_t i = 10; i < 30; i += 2) result.beats.found.r_peaks[i] += 20;
  EXPECT_TRUE(says(result, "20 beats in runs of early beats (SVT), the first at 8.0 s, come irregularly"));
  result.rhythm->episodes.list[0] = svt(800, 2240, 19);
  EXPECT_EQ(finding_warnings(result), Lines{}) << "19 are few";
  result.rhythm->episodes.list = {svt(800, 2320, 20), svt(4000, 5680, 22)};
  EXPECT_EQ(finding_warnings(result), Lines{}) << "most come regularly";
}

TEST(FindingWarnings, TellOfVInAtrialFibrillation) {
  const Episode af{
      .start = 0, .end = 9000, .label = EpisodeLabel::atrial_fibrillation, .beats = 200, .confidence = 0.8};
  const auto vt = [](double first, double last) {
    return Episode{.start = first, .end = last, .label = EpisodeLabel::ventricular_tachycardia};
  };
  EXPECT_TRUE(
      says(with_episodes({af, vt(800, 960)}), "a run of V beats (VT, IVR), at 8.0 s, comes irregularly within"));
  EXPECT_TRUE(says(with_episodes({af, vt(800, 960), vt(1600, 1840)}),
                   "2 runs of V beats (VT, IVR), the first at 8.0 s, come irregularly within"));
  EXPECT_EQ(finding_warnings(with_episodes({af, vt(800, 1600)})), Lines{}) << "eleven beats that are regular";
  EXPECT_EQ(finding_warnings(with_episodes({vt(800, 960)})), Lines{});
}

TEST(FindingWarnings, TellOfRunsOfVWhereTheLineIsBent) {
  const auto vt = [](double first, double last) {
    return Episode{.start = first, .end = last, .label = EpisodeLabel::ventricular_tachycardia};
  };
  auto result = with_episodes({vt(800, 1040)});  // beats 10 to 13
  result.findings->bent.assign(result.beats.found.r_peaks.size(), 0);
  result.findings->bent[10] = 1;
  EXPECT_EQ(finding_warnings(result), Lines{}) << "one of four";
  result.findings->bent[11] = 1;
  EXPECT_TRUE(
      says(result, "a run of V beats (VT, IVR), at 8.0 s, is where noise bends the usual beats, too: movement"));
  result.findings->bent.assign(result.beats.found.r_peaks.size(), 1);
  result.rhythm->episodes.list.push_back(vt(1600, 1840));
  EXPECT_TRUE(says(result, "2 runs of V beats (VT, IVR), the first at 8.0 s, are where noise bends"));
}

TEST(FindingWarnings, TellOfLeadsThatShowDifferentBeats) {
  auto result = even_result(80, 190, 200);
  result.input.leads = {{"II"}, {"V1"}};
  result.beats.agreement = {.looked = 20, .apart = 1, .first = 0, .second = 1, .first_apart_s = 30};
  EXPECT_EQ(finding_warnings(result), Lines{});
  result.beats.agreement.apart = 2;
  EXPECT_TRUE(says(result, "leads 'II' and 'V1' show different beats in 2 of 20 windows, the first at 30 s"));
}

TEST(FindingWarnings, TellOfLeadsWithADelay) {
  auto result = even_result(80, 90);
  result.input.leads = {{.name = "I"}, {.name = "II"}};
  result.beats.agreement = {.looked = 12, .early = 1, .late = 0, .delay_s = 0.06};
  EXPECT_EQ(finding_warnings(result), Lines{});
  result.beats.agreement.delay_s = 0.1;
  EXPECT_TRUE(says(result, "beats come 100 ms later in lead 'I' than in lead 'II'"));
}

TEST(FindingWarnings, TellOfSpikesWithoutCapture) {
  auto result = even_result(80, 190, 200);
  result.beats.spikes = {1234};
  EXPECT_TRUE(says(result, "1 narrow spike without a QRS complex, the first at 12.3 s, does not count as a beat"));
  result.beats.spikes = {80, 160};
  EXPECT_TRUE(says(result, "2 narrow spikes without a QRS complex, the first at 0.8 s, are most of what was found"));
}

TEST(FindingWarnings, TellOfArtefactsBetweenBeats) {
  auto result = even_result(80, 190, 200);
  EXPECT_FALSE(says(result, "between beats at their usual time"));
  result.beats.artefacts = {1234};
  EXPECT_TRUE(says(result,
                   "1 likely touch of an electrode or burst of noise between beats at their usual time, the first at "
                   "12.3 s, does not count as a beat: look there if it is one"));
  result.beats.artefacts = {80, 160};
  EXPECT_TRUE(says(result,
                   "2 likely touches of an electrode or bursts of noise between beats at their usual time, the first "
                   "at 0.8 s, do not count as beats"));
}

TEST(RhythmSteps, BesideVAreNotCounted) {
  const auto result = even_result(80, 9, 10);
  std::vector<Kind> kinds(10, Kind::normal);
  kinds[4] = Kind::ventricular;
  EXPECT_EQ(rhythm_steps(result.beats.found, kinds).pairs, 5) << "8 less those of which beat 4 is one";
}

TEST(RhythmSteps, OfFewBeatsAreNone) {
  EXPECT_EQ(rhythm_steps({}).pairs, 0);
  EXPECT_EQ(rhythm_steps({}).share(), 0);
  EXPECT_EQ(rhythm_steps(even_result(80, 1, 2).beats.found).pairs, 0);
  EXPECT_EQ(rhythm_steps(even_result(80, 1, 3).beats.found).pairs, 1);
}

// The heart may beat so fast that the signal has no rest, which is how noise looks.
TEST(FindingWarnings, TellOfFastBeatsOfFewShapesInNoise) {
  auto result = regular_result();
  auto& peaks = result.beats.found.r_peaks;
  const auto first = std::ssize(peaks) / 2;
  for (std::int64_t i = first; i < first + 40; ++i) peaks[i] = peaks[first] + 31.0 * static_cast<double>(i - first);
  for (auto i = first + 40; i < std::ssize(peaks); ++i) peaks[i] = peaks[i - 1] + 80;
  const auto told = [&] {
    return std::ranges::any_of(rate_warnings(result), [](const std::string& its) {
      return its.find("beats, most of one or two shapes, 19") != its.npos && its.find("(NOISE)") != its.npos;
    });
  };
  EXPECT_FALSE(told());
  result.rhythm->episodes.list = {{peaks[first] - 1, peaks[first + 39] + 1, EpisodeLabel::noise, 40}};
  EXPECT_TRUE(told());
  for (std::int64_t i = first; i < first + 40; ++i) result.findings->templates[i] = static_cast<std::int32_t>(i % 4);
  EXPECT_FALSE(told()) << "noise has many shapes";
  for (std::int64_t i = first; i < first + 40; ++i) result.findings->templates[i] = static_cast<std::int32_t>(i % 2);
  EXPECT_TRUE(told());
  result.rhythm->episodes.list[0].label = EpisodeLabel::gap;
  EXPECT_FALSE(told());
}

}  // namespace
}  // namespace beatscan
