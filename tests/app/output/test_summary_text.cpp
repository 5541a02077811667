// The text summary of a result.
#include "app/output/advisories.h"
#include "app/output/result_facts.h"
#include "app/output/summary_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/small_result.h"

namespace beatscan {
namespace {

// Returns a result of 100 blocks of a second, with a beat every `interval` samples at 100 Hz.
RunResult steady_result(double interval, int poor_blocks) {
  RunResult result = ranked_result();
  result.input.samples = 10'000;
  result.beats.quality = SignalQuality{std::vector<Quality>(100, Quality::good), 100};
  for (int i = 0; i < poor_blocks; ++i) result.beats.quality->blocks[i] = Quality::noisy;
  result.beats.lead_quality = {*result.beats.quality};
  result.beats.found.r_peaks.clear();
  for (double peak = 5; peak < 10'000; peak += interval) result.beats.found.r_peaks.push_back(peak);
  result.beats.found.broken.assign(result.beats.found.r_peaks.size() - 1, 0);
  return result;
}

// V beats whose scores are not above the threshold are counted in the line of the abnormal ones.
TEST(SummaryText, CountsVOfLowerScores) {
  RunResult result = judged_result();
  EXPECT_EQ(lower_ventricular_count(result), 0);
  result.classes.findings->beat_classes[2] = BeatClass::ventricular;  // its score is -0.25
  EXPECT_EQ(lower_ventricular_count(result), 1);
  EXPECT_NE(summary_text(result, "out", nullptr).find("; 1 more V has a lower score"), std::string::npos);
  result.beats.found.quality[2] = Quality::noisy;
  EXPECT_EQ(lower_ventricular_count(result), 0);
}

TEST(MedianHeartRate, IsOfTheKnownIntervals) {
  RunResult result = steady_result(75, 0);
  EXPECT_DOUBLE_EQ(median_heart_rate(result).value(), 80);
  result.beats.found.r_peaks = {0, 100, 5000, 5100, 5250};
  result.beats.found.broken = {0, 1, 0, 0};
  EXPECT_DOUBLE_EQ(median_heart_rate(result).value(), 60) << "of 100, 100 and 150";
  result.rhythm.findings.emplace();
  result.rhythm.findings->episodes.hidden = {1, 0, 1, 0};
  EXPECT_DOUBLE_EQ(median_heart_rate(result).value(), 40) << "the others are in ventricular fibrillation";
  result.beats.found.broken = {1, 1, 1, 1};
  EXPECT_FALSE(median_heart_rate(result).has_value());
  result.input.sample_rate_hz.reset();
  EXPECT_FALSE(median_heart_rate(result).has_value());
}

TEST(SummaryText, HasNineLines) {
  RunResult result = small_result();
  result.beats.quality = SignalQuality{{Quality::good, Quality::noisy, Quality::good, Quality::good}, 100};
  EXPECT_EQ(summary_text(result, "out/x", nullptr),
            "folder/x.csv: 400 samples of 'mV', 3 missing in 2 gaps\n"
            "duration   4 s at 100 Hz\n"
            "beats      5 found, 2 kept, 3 dropped, 100 a minute (median)\n"
            "signal     75.0 % analysable, 25.0 % noisy\n"
            "abnormal   1 (50.0 %) with a score above 5\n"
            "model      loss 3 to 2.5 in 2 epochs, 1 active latent, error 0.1 (mean beat 0.2)\n"
            "advisories 1 (see summary.json)\n"
            "time       0.75 s on a processor, ingest 0.5\n"
            "results    out/x\n");
}

TEST(SummaryText, KeepsControlCharactersOfNamesFromTheTerminal) {
  RunResult result = small_result();
  result.input.path = "a\x1b[2J.csv";
  result.input.signal.name = "I\x1b[31m";
  result.input.leads[0].name = result.input.signal.name;
  result.input.leads.push_back({.name = "V\n\x1b]0;x\x07", .missing = 1, .gaps = 1});
  const std::string text = summary_text(result, "out/\x1b[2J", nullptr);
  EXPECT_TRUE(text.starts_with("a?[2J.csv: 400 samples of 'I?[31m', 'V??]0;x?', ")) << text;
  EXPECT_NE(text.find("1 missing in 1 gap of 'V??]0;x?'\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\nresults    out/?[2J\n")) << text;
  result = steady_result(80, 0);
  result.input.leads.push_back({.name = "V\x1b[31m", .range = {-1, 1}});
  result.beats.lead_quality.push_back({{}, 100, {}});
  ASSERT_EQ(advisories_of(result).size(), 1u);
  const std::string advisory = text_of(advisories_of(result)[0], distinct_lead_names(result));
  EXPECT_TRUE(advisory.ends_with(" (lead 'V?[31m')")) << advisory;
}

TEST(SummaryText, SaysWhatIsNotKnown) {
  RunResult result = small_result();
  result.input.sample_rate_hz.reset();
  result.model.diagnosis.collapsed = true;
  const std::string text = summary_text(result, "out", nullptr);
  for (const char* line :
       {"\nduration   not known: no sampling rate was given\n", " 3 dropped\n",
        "\nsignal     not analysed by the published method\n", "\nadvisories 1, 1 serious (see summary.json)\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text << line;
}

TEST(SummaryText, ComparesWithReferenceBeats) {
  const Json ranking = {{"V", {{"auroc", 0.5}, {"average_precision", 0.25}}}, {"SVF", {{"auroc", nullptr}}}};
  const Json evaluation = {{"detection", {{"f1", 0.75}, {"tolerance_ms", 150.0}}}, {"anomaly", ranking}};
  const std::string text = summary_text(small_result(), "out", evaluation);
  EXPECT_NE(text.find("\ndetection  F1 0.75 within 150 ms\nranking    V against N: AUROC 0.5, average precision 0.25\n"
                      "advisories "),
            std::string::npos)
      << text;
}

TEST(SummaryText, NamesAnomaliesInPoorSignalApart) {
  RunResult result = ranked_result();  // its first row is in flat signal, its second in good signal
  const auto text = [&] { return summary_text(result, "out", nullptr); };
  result.scored.scores.anomalous = {1, 1};
  result.scored.scores.anomalous_count = 2;
  EXPECT_NE(text().find("abnormal   1 (100 %) in good signal with a score above 5; 1 more in poor signal (50.0 % of "
                        "the recording)\n"),
            std::string::npos)
      << text();
  result.beats.found.quality[0] = Quality::good;
  EXPECT_NE(text().find("abnormal   2 (100 %) with a score above 5\n"), std::string::npos) << text();
}

TEST(Ranks, AreOfBeatsInGoodSignal) {
  RunResult result = ranked_result();
  EXPECT_EQ(ranks_in_good_signal(result), (std::vector<std::int64_t>{0, 1}));
  result.beats.found.quality[0] = Quality::good;
  EXPECT_EQ(ranks_in_good_signal(result), (std::vector<std::int64_t>{1, 2}));
  result.scored.scores.score = {2, 2};
  EXPECT_EQ(ranks_in_good_signal(result), (std::vector<std::int64_t>{1, 2})) << "of equal ones the earlier first";
  for (const auto& [lower, higher] : std::vector<std::pair<float, float>>{
           {1, 2}, {-1, 0}, {-2, -1}, {-1e-30f, 1e-30f}, {3, std::numeric_limits<float>::infinity()}}) {
    result.scored.scores.score = {lower, higher};
    EXPECT_EQ(ranks_in_good_signal(result), (std::vector<std::int64_t>{2, 1})) << lower << " " << higher;
  }
  result.scored.scores.score = {-0.0f, 0};
  EXPECT_EQ(ranks_in_good_signal(result), (std::vector<std::int64_t>{1, 2})) << "0 and -0 are equal";
}

}  // namespace
}  // namespace beatscan
