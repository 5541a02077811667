#include "app/report/words/reasons.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "app/report/stored/stored_result.h"
#include "app/report/words/class_words.h"
#include "app/report/words/episode_labels.h"
#include "kernels/detect/quality_class.h"
#include "stages/classify/beat_findings.h"

namespace beatscan {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Returns a result at 100 Hz with a beat every 0.8 s, of the classes that the letters tell. A '|' breaks the interval.
StoredResult result_of_classes(const std::string& letters) {
  StoredResult result;
  result.rate_hz = 100;
  auto& beats = result.beats;
  for (const char letter : letters) {
    if (letter == '|') {
      beats.rr_next.back() = kUnknown;
      continue;
    }
    beats.sample.push_back(80 * std::ssize(beats.sample));
    beats.rr_next.push_back(0.8f);
    beats.beat_class.push_back(letter);
    beats.shape.push_back(letter == 'V' ? 1 : letter == 'S' ? 2 : letter == 'F' ? 3 : 0);
    beats.prev_ratio.push_back(letter == 'N' ? 1.0f : 0.7f);
  }
  beats.rr_next.back() = kUnknown;
  beats.kept.assign(beats.sample.size(), 1);
  beats.quality.assign(beats.sample.size(), Quality::good);
  beats.has_classes = true;
  result.templates = {{.beat_class = 'N'}, {.beat_class = 'V'}, {.beat_class = 'S'}, {.beat_class = 'F'}};
  result.samples = 80 * std::ssize(beats.sample);
  return result;
}

TEST(WaveformPart, IsWhatRhythmAndClassLeave) {
  StoredResult result = result_of_classes("NVS");
  result.beats.score = {4, 10, 10};
  result.beats.rhythm_score = {1, 2, 2};
  result.beats.learned_score = {NAN, 5, -2};  // a result of another version has none
  EXPECT_EQ((std::vector{waveform_part(result, 0), waveform_part(result, 1), waveform_part(result, 2)}),
            (std::vector<double>{3, 3, 10}));
}

TEST(ClassReason, NamesClassAndTiming) {
  const StoredResult result = result_of_classes("NS");
  EXPECT_EQ(class_reason(result, 0), "");
  EXPECT_EQ(class_reason(result, 1), "supraventricular: 30 % premature");
}

TEST(ClassReason, NamesPacedBeats) {
  StoredResult result = result_of_classes("NQ");
  EXPECT_EQ(class_reason(result, 1), "probable artifact");
  result.templates[0].paced = Chamber::ventricles;
  EXPECT_EQ(class_reason(result, 1), "paced");
}

// Returns the reason of a beat with these values, whose row is `row`. The median beat is {0, 1, 0, -1}.
Reason reason_for(float waveform, float rhythm, float prev_ratio, float next_ratio, const std::vector<float>& row,
                  Quality quality = Quality::good) {
  StoredResult result = result_of_classes("NNN");
  auto& beats = result.beats;
  for (auto* column : {&beats.score, &beats.rhythm_score, &beats.learned_score, &beats.prev_ratio, &beats.next_ratio})
    column->assign(3, kUnknown);
  result.beats.score[1] = waveform + rhythm;
  result.beats.rhythm_score[1] = rhythm;
  result.beats.prev_ratio[1] = prev_ratio;
  result.beats.next_ratio[1] = next_ratio;
  result.beats.quality[1] = quality;
  result.arrays.strip_beats = {{1}, {1}};
  result.arrays.rows = {{1, 4}, row};
  result.arrays.reference = {{2, 4}, {0, 1, 0, -1, 1, 1, 1, 1}};
  return reason_of(result, 0);
}

TEST(ReportReasons, RhythmAlone) {
  const auto reason = reason_for(0.5f, 8, 0.66f, 1.3f, {0, 1, 0, -1});
  EXPECT_TRUE(reason.rhythm);
  EXPECT_FALSE(reason.waveform);
  EXPECT_EQ(reason.words, "34 % premature; next RR interval 30 % longer");
}

TEST(ReportReasons, WaveformAlone) {
  const auto reason = reason_for(9, 0, 1, 1, {1, 0, -1, 0});
  EXPECT_FALSE(reason.rhythm);
  EXPECT_TRUE(reason.waveform);
  EXPECT_EQ(reason.words, "dissimilar to the median beat (correlation\u00a00.00)");
}

TEST(ReportReasons, Shapes) {
  const auto words = [](const std::vector<float>& row) { return reason_for(9, 0, 1, 1, row).words; };
  EXPECT_EQ(words({0, -2, 0, 2}), "inverted against the median beat (correlation\u00a0−1.00)");
  EXPECT_EQ(words({5, 8, 5, 2}), "3.0 times the size of the median beat");
  EXPECT_EQ(words({0, 1, 0, -1}), "similar to the median beat (correlation\u00a01.00)");
  EXPECT_EQ(words({0, 0, 0, 0}), "dissimilar to the median beat (correlation\u00a00.00)");
}

TEST(ReportReasons, BothAndThePoorSignal) {
  const auto reason = reason_for(5, 5, 0.5f, kUnknown, {1, 0, -1, 0}, Quality::noisy);
  EXPECT_TRUE(reason.rhythm);
  EXPECT_TRUE(reason.waveform);
  EXPECT_EQ(reason.words, "50 % premature; dissimilar to the median beat (correlation\u00a00.00); in noisy signal");
}

TEST(ReportReasons, ThePublishedMethodKnowsShapesAlone) {
  const auto reason = reason_for(5, kUnknown, kUnknown, kUnknown, {1, 0, -1, 0});
  EXPECT_FALSE(reason.rhythm);
  EXPECT_TRUE(reason.waveform);
}

TEST(EpisodeLabels, AreReportedInWords) {
  EXPECT_EQ(label_words("AFIB"), "atrial fibrillation");
  EXPECT_EQ(label_words("NEW"), "NEW");
  EXPECT_EQ(episode_names().front().label, "VF");
}

}  // namespace
}  // namespace beatscan
