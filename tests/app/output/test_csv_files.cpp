#include "app/output/csv_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "app/output/result_facts.h"
#include "tests/support/beat_tables.h"
#include "tests/support/delineated_result.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

const std::string kHeader =
    "beat,sample,time_s,rr_prev_s,rr_next_s,length_samples,kept,split,reconstruction_error,kl,latent_0,latent_1,score,"
    "anomalous\n";

TEST(BeatsCsv, IsAsTheContractSays) {
  EXPECT_EQ(beats_csv(small_result()), kHeader +
                                           "0,15,0.150000,,0.500000,50,1,train,0.5,0.25,1,-1,-0.25,0\n"
                                           "1,65,0.650000,0.500000,1.400000,140,0,,,,,,,\n"
                                           "2,205,2.050000,1.400000,0.600000,60,1,test,0.1,3,2,0.5,7.5,1\n"
                                           "3,265,2.650000,0.600000,,40,0,,,,,,,\n"  // a gap follows
                                           "4,305,3.050000,,,,0,,,,,,,\n");
}

TEST(BeatsCsv, WithoutARateThereAreNoTimes) {
  RunResult result = small_result();
  result.input.sample_rate_hz.reset();
  const std::string text = beats_csv(result);
  EXPECT_EQ(text.substr(kHeader.size(), text.find('\n', kHeader.size()) - kHeader.size()),
            "0,15,,,,50,1,train,0.5,0.25,1,-1,-0.25,0");
}

TEST(BeatsCsv, HasOneColumnPerLatent) {
  RunResult result = small_result();
  result.scored.rows.latents = {1, 2, 3, 4, 5, 6};
  const std::string text = beats_csv(result);
  EXPECT_NE(text.find(",kl,latent_0,latent_1,latent_2,score,"), text.npos);
  EXPECT_NE(text.find(",0.25,1,2,3,-0.25,0\n"), text.npos);
  EXPECT_NE(text.find(",140,0,,,,,,,,\n"), text.npos);
}

TEST(BeatsCsv, NumbersReadBackTheSame) {
  RunResult result = small_result();
  constexpr int kBeats = 500;
  result.beats.found = {};
  for (int i = 0; i <= kBeats; ++i) result.beats.found.r_peaks.push_back(100 * i);
  result.beats.found.broken.assign(kBeats, 0);
  result.beats.found.outcomes.assign(kBeats, Outcome::kept);
  result.beats.found.outcomes.push_back(Outcome::last);
  result.beats.kept.resize(kBeats);
  std::iota(result.beats.kept.begin(), result.beats.kept.end(), 0);
  std::mt19937 random(1);
  std::vector<float> values(kBeats);
  for (float& value : values) value = std::exp(std::uniform_real_distribution<float>(-60, 60)(random));
  result.model.training.split.assign(kBeats, Split::train);
  result.scored.scores.anomalous.assign(kBeats, 0);
  result.scored.rows = {values, values, values};
  result.scored.scores.score = values;
  std::istringstream lines(beats_csv(result));
  std::string line;
  std::getline(lines, line);
  for (const float value : values) {
    std::getline(lines, line);
    std::istringstream row(line.substr(line.find(",train,") + 7));
    for (std::string cell; std::getline(row, cell, ',') && row.peek() != EOF;)
      ASSERT_EQ(std::strtof(cell.c_str(), nullptr), value) << line;
  }
}

// Threads write parts of 4,096 candidates: every accepted one must get its own row.
TEST(BeatsCsv, RowsOfEveryPart) {
  for (const int beats : {4095, 4096, 4097, 9000}) {
    RunResult result;
    std::vector<std::string> errors;
    for (int beat = 0; beat < beats; ++beat) {
      result.beats.found.r_peaks.push_back(100 * beat);
      const bool kept = beat % 7 != 3 && beat % 1000 != 0;
      result.beats.found.outcomes.push_back(kept ? Outcome::kept : Outcome::too_long);
      errors.emplace_back();
      if (!kept) continue;
      const auto row = static_cast<float>(result.beats.kept.size());
      errors.back() = std::to_string(result.beats.kept.size());
      result.beats.kept.push_back(beat);
      result.scored.rows.reconstruction_error.push_back(row);
      result.scored.rows.kl.push_back(0);
      result.scored.scores.score.push_back(0);
    }
    result.model.training.split.assign(result.beats.kept.size(), Split::train);
    result.scored.scores.anomalous.assign(result.beats.kept.size(), 0);
    result.beats.found.broken.assign(beats - 1, 0);
    std::istringstream lines(beats_csv(result));
    std::string line;
    std::getline(lines, line);
    for (int beat = 0; beat < beats; ++beat) {
      std::getline(lines, line);
      const std::string expected = errors[beat].empty() ? ",0,,,,," : ",1,train," + errors[beat] + ",0,0,0";
      ASSERT_TRUE(line.starts_with(std::to_string(beat) + "," + std::to_string(100 * beat)) && line.ends_with(expected))
          << line << ", expected " << expected;
    }
    EXPECT_FALSE(std::getline(lines, line));
  }
}

TEST(GeneratedCsv, IsOneRowABeat) {
  EXPECT_EQ(generated_csv(small_result()), "p0,p1,p2,p3\n1,2,3,4\n-1,0.1,0,1e-09\n");
  RunResult none = small_result();
  none.model.training.generated.clear();
  EXPECT_EQ(generated_csv(none), "p0,p1,p2,p3\n");
}

// --- method r_peaks ---

std::string without_line_end(std::string text) {
  text.pop_back();
  return text;
}

TEST(BeatsCsv, HasFurtherColumnsAroundRPeaks) {
  EXPECT_EQ(
      beats_csv(ranked_result()),
      without_line_end(kHeader) +
          ",r_peak_s,rr_prev_ratio,rr_next_ratio,waveform_score,rhythm_score,baseline_score,quality,rank,lead,noise\n"
          "0,15,0.150000,,0.500000,50,1,train,0.5,0.25,1,-1,7.5,1,0.152500,,0.5,4.5,3,6.5,flat,,0,1\n"
          "1,65,0.650000,0.500000,1.400000,140,0,,,,,,,,0.650000,0.5,2,,,,good,,,\n"
          "2,205,2.050000,1.400000,0.600000,60,1,test,0.1,3,2,0.5,-0.25,0,2.047500,2,0.75,-0.5,0.25,4.5,good,1,0,2.5\n"
          "3,265,2.650000,0.600000,,40,0,,,,,,,,2.650000,0.75,,,,,good,,,\n"
          "4,305,3.050000,,,,0,,,,,,,,3.050000,,,,,,noisy,,,\n");
}

// The result of method r_peaks with classes and templates of its beats.
RunResult reported_result() {
  RunResult result = ranked_result();
  result.classes.findings =
      Findings{{BeatClass::ventricular, BeatClass::unknown, BeatClass::normal, BeatClass::unknown, BeatClass::unknown},
               {1, -1, 0, -1, -1},
               {{.shape = 0, .beat_class = BeatClass::normal, .beats = 1},
                {.shape = 3, .beat_class = BeatClass::ventricular, .beats = 1}}};
  return result;
}

void expect_line_ends(const std::string& table, const std::vector<std::string>& ends) {
  std::istringstream lines(table);
  for (const std::string& end : ends) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_TRUE(line.ends_with(end)) << line;
  }
}

TEST(BeatsCsv, ClassAndTemplateStandBehindTheQuality) {
  expect_line_ends(beats_csv(reported_result()), {",quality,beat_class,template,rank,lead,noise", ",flat,V,1,,0,1",
                                                  ",good,Q,,,,", ",good,N,0,1,0,2.5", ",good,Q,,,,", ",noisy,Q,,,,"});
}

// The recording begins 1.5 s before midnight.
RunResult result_at_night() {
  RunResult result = reported_result();
  result.input.signal.start = StartTime{86398.5};
  return result;
}

// beats.csv has no times of day, so that a recording gives the same table in every format.
TEST(TimeOfDay, StandsInTheTablesOfFindings) {
  const RunResult result = result_at_night();
  expect_line_ends(templates_csv(result), {"first_time_of_day,last_time_of_day,paced,pr_ms,qrs_ms,qt_ms,qtc_ms",
                                           "00:00:00.548,00:00:00.548,,,,,", "23:59:58.653,23:59:58.653,,,,,"});
  expect_line_ends(quality_csv(result), {"lead,time_of_day", "flat,0,23:59:58.500", "noisy,0,00:00:01.500"});
  Episodes episodes;
  episodes.list = {{.start = 100, .end = 200, .label = EpisodeLabel::pause}};
  episodes.linked.assign(4, 1);
  RhythmBeats beats = rhythm_beats(result);
  expect_line_ends(episodes_csv(beats, episodes, result.input.signal.start),
                   {",quality,time_of_day", ",good,23:59:59.500"});
  expect_line_ends(episodes_csv(beats, episodes), {",quality,time_of_day", ",good,"});
}

// A rate is that of the interval before a beat: the third beat's is 139.75 samples long.
TEST(TemplatesCsv, IsOneRowATemplate) {
  const std::string header =
      "template,beat_class,beats,share,rate_bpm,first_s,last_s,most_typical_beat,most_atypical_beat,spread,width_ms,"
      "first_time_of_day,last_time_of_day,paced,pr_ms,qrs_ms,qt_ms,qtc_ms\n";
  EXPECT_EQ(templates_csv(reported_result()), header +
                                                  "0,N,1,0.500000,42.9,2.047500,2.047500,,,,,,,,,,,\n"
                                                  "1,V,1,0.500000,,0.152500,0.152500,,,,,,,,,,,\n");
  EXPECT_EQ(templates_csv(small_result()), header);
  RunResult result = reported_result();
  result.report.templates = {
      .means = {}, .typical = {2, 0}, .most_atypical = {2, 0}, .spread = {0.25, 0}, .width_ms = {81.25, NAN}};
  EXPECT_EQ(templates_csv(result), header +
                                       "0,N,1,0.500000,42.9,2.047500,2.047500,2,2,0.2500,81.2,,,,,,,\n"
                                       "1,V,1,0.500000,,0.152500,0.152500,0,0,0.0000,,,,,,,,\n");
  result.classes.findings->pacing = {{Chamber::ventricles, -0.06}, {}};
  expect_line_ends(templates_csv(result), {"", ",ventricles,,,,", ",,,,,"});
}

// The first template has the third and the fifth beat: QTc is the median of 440 and 460 ms.
TEST(TemplatesCsv, HasTheMedianIntervalsOfItsBeats) {
  RunResult result = delineated_result();
  result.classes.findings->templates = {1, -1, 0, 1, 0};
  expect_line_ends(templates_csv(result),
                   {",paced,pr_ms,qrs_ms,qt_ms,qtc_ms", ",120.0,90.0,400.0,450.0", ",120.0,90.0,400.0,420.0"});
  result.classes.findings->templates = {-1, 1, -1, 0, -1};
  expect_line_ends(templates_csv(result), {"", ",,,,,", ",,90.0,400.0,430.0"});
}

// The rate of a template of two beats, after intervals of 50 and 140 samples, is computed from their mean interval.
TEST(TemplatesCsv, TheRateIsThatOfTheMedianInterval) {
  RunResult result = reported_result();
  result.beats.found.r_peaks = {15, 65, 205, 265, 305};
  result.beats.found.broken = {0, 0, 0, 0};
  result.classes.findings->templates = {-1, 0, 0, -1, 1};
  const std::string text = templates_csv(result);
  EXPECT_NE(text.find(",63.2,"), std::string::npos) << text;
}

TEST(LongestInterval, IsBetweenBeatsThatAreKnownToFollowEachOther) {
  RunResult result = small_result();  // R peaks at 15, 65, 205, 265 and 305
  EXPECT_EQ(longest_interval(result), 1);
  result.beats.found.broken = {0, 1, 0, 0};
  EXPECT_EQ(longest_interval(result), 2);
  result.beats.found.broken = {1, 1, 1, 1};
  EXPECT_FALSE(longest_interval(result));
}

TEST(BeatsCsv, EveryRowIsAsWideAsTheHeader) {
  for (const auto& result : {small_result(), ranked_result(), reported_result()}) {
    std::istringstream lines(beats_csv(result));
    std::string line;
    std::getline(lines, line);
    const auto commas = std::ranges::count(line, ',');
    for (int beat = 0; beat < 5; ++beat) {
      ASSERT_TRUE(std::getline(lines, line));
      EXPECT_EQ(std::ranges::count(line, ','), commas) << line;
    }
  }
}

TEST(QualityCsv, IsOneRowAStretchThatIsNotGood) {
  const std::string header = "from_s,to_s,quality,lead,time_of_day\n";
  RunResult result = ranked_result();
  auto& blocks = result.beats.lead_quality[0].blocks;
  EXPECT_EQ(quality_csv(result), header + "0.000000,1.000000,flat,0,\n3.000000,4.000000,noisy,0,\n");
  blocks = {Quality::good, Quality::clipped, Quality::clipped};
  result.input.samples = 350;
  EXPECT_EQ(quality_csv(result), header + "1.000000,3.500000,clipped,0,\n") << "to the recording's end";
  blocks.assign(3, Quality::good);
  EXPECT_EQ(quality_csv(result), header);
  EXPECT_EQ(quality_csv(small_result()), header) << "the published method does not assess the signal";
}

TEST(QualityCsv, ListsEachLeadSeparately) {
  RunResult result = ranked_result();
  result.beats.lead_quality.push_back({{Quality::good, Quality::noisy, Quality::good, Quality::good}, 100});
  EXPECT_EQ(quality_csv(result),
            "from_s,to_s,quality,lead,time_of_day\n0.000000,1.000000,flat,0,\n3.000000,4.000000,noisy,0,\n"
            "1.000000,2.000000,noisy,1,\n");
}

TEST(BeatsCsv, NamesTheLeadThatSaysMost) {
  RunResult result = ranked_result();
  result.scored.ranking->lead = {1, 0};
  const std::string text = beats_csv(result);
  EXPECT_NE(text.find(",flat,,1,1\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",good,1,0,2.5\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace beatscan
