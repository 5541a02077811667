#include "app/result/words/doubt_warnings.h"

#include <gtest/gtest.h>

#include "tests/support/small_result.h"

namespace beatscan {
namespace {

bool tells(const RunResult& result, const std::string& words) {
  return is_one_line_with(doubt_warnings(result), words);
}

TEST(DoubtWarnings, OfAUsualRecordingAreNone) {
  EXPECT_TRUE(doubt_warnings(regular_result()).empty());
  EXPECT_TRUE(doubt_warnings(small_result()).empty()) << "as published";
  EXPECT_TRUE(doubt_warnings(judged_result()).empty());
}

TEST(DoubtWarnings, TellOfALongSlowRunOfV) {
  auto result = regular_result();
  result.rhythm->episodes.list = {{1000, 1720, EpisodeLabel::idioventricular_rhythm, 14}};
  EXPECT_TRUE(doubt_warnings(result).empty());
  result.rhythm->episodes.list[0].beats = 15;
  EXPECT_TRUE(tells(result, "15 V beats in a row (IVR) from 10.0 s: "));
  result.rhythm->episodes.list[0].label = EpisodeLabel::ventricular_tachycardia;
  EXPECT_TRUE(doubt_warnings(result).empty());
}

TEST(DoubtWarnings, TellOfRowsOfFaintBeats) {
  auto result = regular_result();
  result.beats.faint = {{10, 25}};
  EXPECT_TRUE(tells(result, "15 beats in a row, from 8.0 to 19.2 s, are much smaller than usual ones: P waves"));
  result.beats.faint = {{10, 25}, {50, 60}};
  EXPECT_TRUE(tells(result, "from 8.0 to 19.2 s, and 1 shorter row, are much smaller"));
  result.beats.faint = {{10, 25}, {50, 60}, {100, 140}};
  EXPECT_TRUE(tells(result, "40 beats in a row, from 80.0 to 111.2 s, and 2 shorter rows, are much smaller"));
  result.rhythm->episodes.list = {{9000, 9100, EpisodeLabel::ventricular_fibrillation, 2}};
  EXPECT_TRUE(tells(result, "40 beats in a row")) << "a second of fibrillation explains no row of half a minute";
  result.rhythm->episodes.list = {{8000, 9600, EpisodeLabel::ventricular_fibrillation, 20}};
  EXPECT_TRUE(tells(result, "from 8.0 to 19.2 s, and 1 shorter row, are much smaller"));
  result.rhythm->episodes.list = {{0, 16000, EpisodeLabel::noise, 200}};
  EXPECT_TRUE(doubt_warnings(result).empty()) << "noise is told";
}

TEST(DoubtWarnings, TellOfVInHum) {
  auto result = regular_result();
  for (const int beat : {10, 20, 30, 40}) result.findings->kinds[beat] = Kind::ventricular;
  for (const int beat : {20, 30}) result.scored.ranking->noise[beat] = 8;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "two are few";
  result.scored.ranking->noise[40] = 6;
  EXPECT_TRUE(tells(result, "3 of 4 V beats, the first at 16.0 s, are in hum or muscle noise"));
}

TEST(DoubtWarnings, TellOfTWavesThatCountAsBeats) {
  auto result = regular_result();
  for (std::size_t i = 1; i < 200; i += 2) {
    result.findings->kinds[i] = Kind::ventricular;
    result.beats.found.r_peaks[i] = result.beats.found.r_peaks[i - 1] + 28;
  }
  EXPECT_TRUE(tells(result, "100 beats, many from 0.3 s on, are followed by one of kind V 0.28 s later: tall T waves"));
  auto hidden = result, near = result;
  hidden.rhythm->episodes.hidden.assign(199, 1);
  EXPECT_TRUE(doubt_warnings(hidden).empty()) << "waves of fibrillation";
  for (std::size_t i = 0; i < 200; ++i)
    near.beats.found.r_peaks[i] = 60 * static_cast<double>(i / 2) + (i % 2 ? 28 : 0);
  EXPECT_TRUE(doubt_warnings(near).empty()) << "the next beat comes 0.32 s behind";
  for (std::size_t i = 1; i < 200; i += 2) result.beats.found.r_peaks[i] += 20;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "bigeminy";
}

// T waves are tall for some minutes, and some follow a V beat.
TEST(DoubtWarnings, TellOfTallTWavesForAWhile) {
  auto result = regular_result();
  auto& kinds = result.findings->kinds;
  auto& r_peaks = result.beats.found.r_peaks;
  const auto add_wave = [&](std::size_t i) {
    kinds[i] = Kind::ventricular;
    r_peaks[i] = r_peaks[i - 1] + 28;
  };
  for (std::size_t i = 101; i < 139; i += 2) add_wave(i);
  kinds[100] = Kind::ventricular;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "19 are few";
  add_wave(139);
  EXPECT_TRUE(tells(result, "20 beats, many from 80.3 s on, are followed by one of kind V 0.28 s later"));
  auto later = result, run = result;
  for (std::size_t i = 101; i < 140; i += 2) later.beats.found.r_peaks[i] += 6;
  EXPECT_TRUE(doubt_warnings(later).empty()) << "0.34 s behind a fifth of the beats";
  std::fill_n(run.findings->kinds.begin() + 100, 40, Kind::ventricular);
  EXPECT_FALSE(tells(run, "are followed by one of kind V")) << "a run of V beats";
  for (std::size_t i = 140; i < 200; ++i) r_peaks[i] += 30'000;
  for (std::size_t i = 120; i < 140; ++i) r_peaks[i] += 26'000;
  EXPECT_TRUE(tells(result, "20 beats")) << "in five minutes";
  for (std::size_t i = 120; i < 200; ++i) r_peaks[i] += 5'000;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "over more than five minutes";
}

TEST(DoubtWarnings, TellOfAShapeThatTakesOver) {
  auto result = regular_result();
  auto& templates = result.findings->templates;
  for (std::size_t i = 120; i < 200; ++i) templates[i] = 1;
  EXPECT_TRUE(tells(result, "the usual shape changes at 96.0 s and stays so"));
  for (std::size_t i = 0; i < 12; ++i) templates[15 * i] = 1;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "both shapes come all along";
  for (std::size_t i = 0; i < 200; ++i) templates[i] = i >= 173;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "too few";
}

// Two leads that swap places change all shapes at once. Either side has several, so that the two most frequent ones may
// both be of one side.
TEST(DoubtWarnings, TellOfShapesThatAllChangeAtOnce) {
  auto result = regular_result();
  auto& templates = result.findings->templates;
  for (int i = 0; i < 200; ++i) templates[i] = i < 100 ? 2 - i % 3 : i % 4 == 0 ? 0 : 3 + i % 3;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "template 0 comes on both sides";
  for (int i = 0; i < 200; ++i) templates[i] = i < 100 ? (i % 10 == 0 ? 2 : i % 2) : 3 + i % 3;
  EXPECT_TRUE(tells(result, "the usual shape changes at 80.0 s and stays so"));
  templates[150] = 0, templates[160] = templates[50] = -1;
  EXPECT_TRUE(tells(result, "the usual shape changes at 80.0 s and stays so")) << "one of 198 is mixed";
  templates[20] = 4, templates[170] = 1;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "three are too many";
  for (int i = 0; i < 200; ++i) templates[i] = i < 173 ? i % 2 : 2 + i % 3;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "27 beats are too few";
  for (int i = 0; i < 200; ++i) templates[i] = i < 170 ? i % 2 : 2 + i % 3;
  EXPECT_TRUE(tells(result, "the usual shape changes at 136.0 s and stays so"));
  for (int i = 0; i < 200; ++i) templates[i] = 0;
  EXPECT_TRUE(doubt_warnings(result).empty()) << "one shape";
}

TEST(DoubtWarnings, TellOfALoop) {
  auto result = regular_result();
  auto& r_peaks = result.beats.found.r_peaks;
  const auto repeat = [&](int beats) {
    for (int i = 1; i < 200; ++i) r_peaks[i] = r_peaks[i - 1] + 80 + 13 * (i % beats) * (i % beats) % 101;
  };
  repeat(12);
  EXPECT_TRUE(tells(result, "the same 12 beats, 13.8 s, come again and again at exactly the same intervals"));
  for (int i = 0; i < 200; ++i) r_peaks[i] += 0.05 * (i * i % 7);
  EXPECT_TRUE(doubt_warnings(result).empty()) << "nearly the same is no loop";
  repeat(3);
  EXPECT_TRUE(doubt_warnings(result).empty()) << "trigeminy";
  repeat(150);
  EXPECT_TRUE(doubt_warnings(result).empty()) << "not even twice";
}

}  // namespace
}  // namespace beatscan
