// Warnings for a truth that covers a part of the recording, and for one with a different start time.
#include "app/evaluation/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/evaluation/truth.h"

namespace beatscan {
namespace {

// Beats of an irregular rhythm at 250 Hz.
std::vector<std::int64_t> beats(int count) {
  std::vector<std::int64_t> samples;
  for (std::int64_t sample = 1000, i = 0; i < count; ++i) samples.push_back(sample += 150 + i * 37 % 100);
  return samples;
}

std::vector<std::string> warnings(const std::vector<std::int64_t>& truth, const std::vector<std::int64_t>& found) {
  std::vector<ReferenceBeat> reference;
  std::vector<DetectedBeat> detected;
  for (const auto sample : truth) reference.push_back({sample, 'N'});
  for (const auto sample : found) detected.push_back({sample});
  return fit_warnings(reference, detected, evaluate(reference, detected, 250).detection, 250, "t.csv");
}

std::vector<std::int64_t> later(std::vector<std::int64_t> samples, std::int64_t by) {
  for (auto& sample : samples) sample += by;
  return samples;
}

TEST(TruthFit, TheSameRecordingHasNoWarnings) {
  EXPECT_TRUE(warnings(beats(200), later(beats(200), 3)).empty());
  EXPECT_TRUE(warnings(beats(185), beats(200)).empty()) << "less than a tenth";
  EXPECT_TRUE(warnings(beats(9), beats(18)).empty()) << "few beats";
  EXPECT_TRUE(warnings({}, beats(20)).empty());
  EXPECT_TRUE(warnings(beats(20), {}).empty());
}

TEST(TruthFit, ATruthOfAPart) {
  const auto all = beats(200);
  EXPECT_EQ(warnings({all.begin(), all.begin() + 60}, all),
            std::vector<std::string>{"t.csv: its beats range from 4.6 to 52.0 s, and 140 of 200 beats detected before "
                                     "or after these count as false"});
  EXPECT_EQ(warnings({all.begin() + 60, all.end()}, all).size(), 1U);
}

TEST(TruthFit, ATruthThatIsShifted) {
  EXPECT_EQ(warnings(later(beats(200), 50), beats(200)),
            std::vector<std::string>{"t.csv: only 0 of 200 beats match, and 200 would if all came 0.20 s earlier: its "
                                     "times may count from another start"});
  ASSERT_EQ(warnings(later(beats(200), -110), beats(200)).size(), 1U);
  EXPECT_NE(warnings(later(beats(200), -110), beats(200))[0].find("0.44 s later"), std::string::npos);
  EXPECT_TRUE(warnings(later(beats(200), 30), beats(200)).empty()) << "within the tolerance";
}

TEST(TruthFit, ATruthOfAnotherRecordingIsNotCalledShifted) {
  std::vector<std::int64_t> other;
  for (std::int64_t sample = 1000, i = 0; i < 200; ++i) other.push_back(sample += 160 + i * 53 % 90);
  const auto words_of = [&] {
    std::string words;
    for (const auto& warning : warnings(other, beats(200))) words += warning;
    return words;
  };
  EXPECT_NE(words_of().find("match: it may be that of another recording, or noise hides the beats"), std::string::npos);
  EXPECT_EQ(words_of().find("another start"), std::string::npos);
}

}  // namespace
}  // namespace beatscan
