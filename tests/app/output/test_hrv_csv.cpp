#include "app/output/hrv_csv.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "stages/rhythm/rhythm_findings.h"
#include "tests/stages/rhythm/listed_beats.h"

namespace beatscan {
namespace {

std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Returns the first five cells of a row.
std::string head_of(const std::string& line) {
  std::size_t end = 0;
  for (int comma = 0; comma < 5; ++comma) end = line.find(',', end) + 1;
  return line.substr(0, end - 1);
}

RhythmFindings findings_of(const ListedForTest& beats) {
  RhythmFindings findings{.episodes = {.linked = all_linked(beats)}};
  findings.hrv = hrv_of(nn_of_recording(beats.view(), findings.episodes), std::ssize(beats.broken), {});
  return findings;
}

std::vector<std::string> hrv_rows(const ListedForTest& beats, const HrvRecording& recording) {
  return text_lines(hrv_csv(beats.view(), findings_of(beats), recording));
}

// Sixty beats at 1 s, one of which is V: 57 of 59 intervals are NN.
ListedForTest a_minute() {
  ListedForTest beats = beats_of(std::string(60, 'N'), 1);
  beats.beat_classes[30] = BeatClass::ventricular;
  return beats;
}

TEST(HrvCsv, HasARowAPart) {
  const auto rows = hrv_rows(a_minute(), {.length_s = 60});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(
      rows[0],
      "start_s,end_s,part,intervals,used_share,mean_nn_ms,sdnn_ms,sdann_ms,rmssd_ms,pnn50_percent,vlf_ms2,lf_ms2,"
      "hf_ms2,lf_hf,sd1_ms,sd2_ms,dfa_alpha1,dfa_alpha2,dc_ms,hrt_onset_percent,hrt_slope_ms_per_rr,hrt_vpcs,event");
  EXPECT_EQ(rows[1], "0.000000,60.000000,whole,57,0.9661016949152542,1000,0,,0,0,,,,,0,0,,,,,,0,");
  EXPECT_EQ(rows[2], ",,day" + std::string(20, ',')) << "the time of day is not known";
  EXPECT_EQ(rows[3], ",,night" + std::string(20, ','));
}

TEST(HrvCsv, Windows) {
  const std::vector<FileEvent> events{{.time_s = 50, .duration_s = 4, .text = "stairs, \"fast\""}, {.time_s = 2}};
  const auto rows = hrv_rows(a_minute(), {.length_s = 60, .events = events, .parts = {.window_s = 25}});
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(head_of(rows[4]), "0.000000,25.000000,window,25,1");
  EXPECT_EQ(head_of(rows[5]), "25.000000,50.000000,window,23,0.92");
  EXPECT_EQ(head_of(rows[6]), "50.000000,60.000000,window,9,1") << "the last window is shorter";
  EXPECT_EQ(head_of(rows[7]), "39.500000,60.000000,event,19,1") << "around the middle of the event";
  EXPECT_TRUE(rows[7].ends_with(",\"stairs, \"\"fast\"\"\"")) << rows[7];
  EXPECT_EQ(head_of(rows[8]), "0.000000,14.500000,event,14,1");
}

std::string times_of(const HrvRecording& recording, const std::string& name) {
  std::ostringstream text;
  for (const HrvPart& part : hrv_parts(recording))
    if (part.name == name)
      for (const TimePart& time : part.times) text << time.from_s / 3600 << "-" << time.to_s / 3600 << " ";
  return text.str();
}

// A recording of 48 hours from nine in the morning on.
TEST(HrvCsv, DaysAndNights) {
  const HrvRecording recording{.length_s = 48 * 3600.0, .start = StartTime{.second_of_day = 9 * 3600}};
  EXPECT_EQ(times_of(recording, "night"), "14-22 38-46 ");
  EXPECT_EQ(times_of(recording, "day"), "0-14 22-38 46-48 ");
  const HrvRecording late{.length_s = 3600, .start = StartTime{.second_of_day = 2 * 3600}};
  EXPECT_EQ(times_of(late, "night"), "0-1 ");
  EXPECT_EQ(times_of(late, "day"), "");
}

TEST(HrvCsv, SleepFromTheStart) {
  const HrvRecording recording{.length_s = 24 * 3600.0, .parts = {.sleep = "14.5-30"}};
  EXPECT_EQ(times_of(recording, "night"), "14.5-24 ");
  EXPECT_EQ(times_of(recording, "day"), "0-14.5 ");
  const HrvRecording at_noon{
      .length_s = 86400, .start = StartTime{.second_of_day = 43200}, .parts = {.sleep = "13:00-14:30"}};
  EXPECT_EQ(times_of(at_noon, "night"), "1-2.5 ");
}

// Atrial fibrillation has no NN.
TEST(NnCsv, HasTheIntervals) {
  const ListedForTest beats = beats_of("NNNVNNN", 0.5);
  Episodes episodes{.linked = all_linked(beats)};
  EXPECT_EQ(nn_csv(beats.view(), episodes), "time_s,nn_ms\n0.500000,500\n1.000000,500\n2.500000,500\n3.000000,500\n");
  episodes.list = {{.start = 200, .end = 300, .label = EpisodeLabel::atrial_fibrillation}};
  EXPECT_EQ(nn_csv(beats.view(), episodes), "time_s,nn_ms\n0.500000,500\n1.000000,500\n");
}

}  // namespace
}  // namespace beatscan
