#include "app/output/csv_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "app/output/result_facts.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

const std::string kAbnormalHeader =
    "rank,beat,sample,time_s,time_of_day,score,waveform_score,rhythm_score,rr_prev_s,rr_next_s,rr_prev_ratio,"
    "rr_next_ratio,quality,lead,reason,beat_class,template\n";

// A result of this many beats, one a second, that are all accepted and in good signal. Each has only its score.
RunResult result_of(const std::vector<float>& scores) {
  RunResult result = ranked_result();
  const auto beats = scores.size();
  result.beats.found = {};
  result.beats.kept.clear();
  for (std::size_t i = 0; i < beats; ++i) {
    result.beats.found.r_peaks.push_back(100.0 * static_cast<double>(i));
    result.beats.kept.push_back(static_cast<std::int64_t>(i));
  }
  result.beats.found.quality.assign(beats, Quality::good);
  result.beats.found.outcomes.assign(beats, Outcome::kept);
  result.beats.found.broken.assign(beats > 0 ? beats - 1 : 0, 0);
  result.beats.rhythm = Rhythm{std::vector<float>(beats, 1), std::vector<float>(beats, 1), {}, {}};
  BeatScores found{.score = scores, .anomalous = {}, .threshold = 6};
  for (const float score : scores) found.anomalous.push_back(score > 6);
  result.scored.scores = found;
  const std::vector<float> none(beats, 0);
  result.scored.ranking = Ranking{found, found, scores, none, std::vector<float>(beats, 1), {}};
  result.scored.ranking->lead.assign(beats, 0);
  return result;
}

std::string abnormal_csv(const RunResult& result) {
  std::string text;
  for (const auto& part : abnormal_csv_parts(result)) text += part;
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string reason_of_first(const RunResult& result) {
  const std::string line = lines_of(abnormal_csv(result)).at(1);
  std::size_t at = 0;
  for (int i = 0; i < 14; ++i) at = line.find(',', at) + 1;
  return line.substr(at, line.rfind(',', line.rfind(',') - 1) - at);  // before class and template
}

TEST(AbnormalCsv, IsAsDocumented) {
  EXPECT_EQ(abnormal_csv(ranked_result()), kAbnormalHeader +
                                               ",0,15,0.150000,,7.5,4.5,3,,0.500000,,0.5,flat,0,rhythm: irregular "
                                               "with the beats around it; shape: atypical; in flat signal,,\n");
  EXPECT_EQ(abnormal_csv(result_of({})), kAbnormalHeader);
  EXPECT_EQ(abnormal_csv(result_of({1, 5.9f, 6})), kAbnormalHeader) << "none is above the threshold";
}

TEST(AbnormalCsv, AsPublishedAllSignalCountsAsGood) {
  EXPECT_EQ(
      abnormal_csv(small_result()),
      kAbnormalHeader + "1,2,205,2.050000,,7.5,,,1.400000,0.600000,,,,,shape: far from what the model decodes,,\n");
}

TEST(AbnormalCsv, TheMostAbnormalInGoodSignalComeFirst) {
  RunResult result = result_of({7, 90, 1, 8, 80, 8});
  result.beats.found.quality = {Quality::good, Quality::noisy, Quality::good,
                                Quality::good, Quality::flat,  Quality::good};
  std::vector<std::string> begins;
  for (const auto& line : lines_of(abnormal_csv(result))) begins.push_back(line.substr(0, line.find(',', 2) + 1));
  EXPECT_EQ(begins, (std::vector<std::string>{"rank,", "1,3,", "2,5,", "3,0,", ",1,", ",4,"}));
}

TEST(AbnormalCsv, RanksAreThoseOfBeatsCsv) {
  RunResult result = result_of({7, 90, 1, 8, 80, 8});
  result.beats.found.quality[1] = Quality::noisy;
  const auto ranks = ranks_in_good_signal(result);
  const auto lines = lines_of(abnormal_csv(result));
  ASSERT_EQ(lines.size(), 6u);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto comma = lines[i].find(',');
    const std::string rank = lines[i].substr(0, comma);
    EXPECT_EQ(rank.empty() ? 0 : std::stoll(rank), ranks.at(std::stoul(lines[i].substr(comma + 1)))) << lines[i];
  }
}

TEST(AbnormalCsv, ReasonsInPlainWords) {
  RunResult result = result_of({20, 1});
  auto& ranking = *result.scored.ranking;
  const auto expect = [&](const std::string& words, float waveform, float rhythm, float prev, float next) {
    ranking.waveform[0] = waveform, ranking.rhythm[0] = rhythm;
    result.beats.rhythm->prev_ratio[0] = prev, result.beats.rhythm->next_ratio[0] = next;
    EXPECT_EQ(reason_of_first(result), words);
  };
  expect("rhythm: 34 % premature", 0, 20, 0.66f, 1);
  expect("rhythm: 34 % premature; next RR interval 40 % longer", -2, 20, 0.66f, 1.4f);
  expect("rhythm: 34 % premature; shape: atypical", 10, 10, 0.66f, 1);
  expect("shape: atypical", 20, 0, 1, 1);
  expect("shape: atypical; besides 120 % late", 20, 0, 2.2f, 1);
  result.beats.found.quality[0] = Quality::noisy;
  expect("shape: atypical; in noisy signal", 20, 0, 1, 1);
}

TEST(AbnormalCsv, SeveralLeadsAreNamedWhateverTheyAreCalled) {
  RunResult result = result_of({20});
  result.input.leads.push_back({"V1"});
  result.scored.ranking->lead = {1};
  EXPECT_EQ(reason_of_first(result), "\"shape: atypical, most in V1\"");
  result.input.leads[1].name = "a \"b\"\n";
  EXPECT_EQ(reason_of_first(result), "\"shape: atypical, most in a \"\"b\"\"?\"");
}

TEST(AbnormalCsv, HasTheTimeOfDay) {
  RunResult result = result_of({1, 20});
  result.input.signal.start = StartTime{.second_of_day = 86399.5};
  EXPECT_NE(abnormal_csv(result).find("1,1,100,1.000000,00:00:00.500,20,"), std::string::npos) << abnormal_csv(result);
  result.input.sample_rate_hz.reset();
  EXPECT_NE(abnormal_csv(result).find("1,1,100,,,20,"), std::string::npos) << "without a rate nothing is known";
}

}  // namespace
}  // namespace beatscan
