#include "app/report/words/abnormal_counts.h"

#include <gtest/gtest.h>

#include "app/report/stored/beat_table.h"

namespace beatscan {
namespace {

// Returns beats of these kinds. A capital letter is above the threshold, and a small one is not.
BeatTable beats_of(const std::string& letters) {
  BeatTable beats;
  for (const char letter : letters) {
    beats.sample.push_back(std::ssize(beats.sample));
    beats.kind.push_back(static_cast<char>(std::toupper(letter)));
    beats.anomalous.push_back(std::isupper(letter) != 0);
  }
  beats.kept.assign(letters.size(), 1);
  beats.quality.assign(letters.size(), Quality::good);
  return beats;
}

std::string sentence_of(const BeatTable& beats) { return kinds_sentence(AbnormalCounts(beats)); }

// The findings count beats by kind, and the sentence before this one by score: this one says how both belong together.
TEST(AbnormalCounts, SayWhatEachNumberCounts) {
  auto beats = beats_of("VVVSSvvsnnnNN");
  EXPECT_EQ(sentence_of(beats),
            " Of the 8 S and V beats, 5 are among these and 3 have lower scores (2 ventricular; see beats.csv). The "
            "other 2 are neither S nor V, but atypical in morphology or timing.");
  beats.quality[0] = beats.quality[5] = Quality::noisy;
  beats.kept[1] = 0;
  const AbnormalCounts counts(beats);
  EXPECT_EQ(counts.abnormal_good, 5);
  EXPECT_EQ(counts.abnormal_poor, 1);
  EXPECT_EQ(
      kinds_sentence(counts),
      " Of the 8 S and V beats, 3 are among these, 2 have lower scores (1 ventricular; see beats.csv), 2 are "
      "in poor signal and 1 has no score. The other 2 are neither S nor V, but atypical in morphology or timing.");
}

TEST(AbnormalCounts, SayNothingOfNormalBeats) {
  EXPECT_EQ(sentence_of(beats_of("nnNQ")), "");
  EXPECT_EQ(sentence_of(beats_of("nS")), " Of the 1 S and V beat, 1 is among these.");
  auto none = beats_of("NN");
  none.kind.clear();
  EXPECT_EQ(sentence_of(none), "") << "as published";
}

}  // namespace
}  // namespace beatscan
