#include "app/evaluation/beat_quality.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/evaluation/evaluate.h"
#include "app/evaluation/truth.h"

namespace beatscan {
namespace {

// Each cell has another power of two, so that a sum shows which cells it contains.
ClassMatrix powers() {
  ClassMatrix matrix;
  std::int64_t value = 1;
  for (const char reference : kClassRows)
    for (const char beat_class : kClassRows) {
      if (reference == 'O' && beat_class == 'O') continue;
      matrix.at(reference, beat_class) = value;
      value *= 2;
    }
  return matrix;
}

// Adds up the cells that bxb.c names, such as "Nv" for a reference N classified as V.
std::int64_t sum_of(const ClassMatrix& matrix, const std::vector<std::string>& cells) {
  std::int64_t sum = 0;
  for (const auto& cell : cells) sum += matrix.at(cell[0], static_cast<char>(std::toupper(cell[1])));
  return sum;
}

TEST(ClassQuality, CountsVAsBxb) {
  const ClassMatrix matrix = powers();
  const ClassQuality v = quality_of_class(matrix, 'V');
  EXPECT_EQ(v.tp, sum_of(matrix, {"Vv"}));
  EXPECT_EQ(v.fn, sum_of(matrix, {"Vn", "Vs", "Vf", "Vq", "Vo"}));
  EXPECT_EQ(v.fp, sum_of(matrix, {"Nv", "Sv", "Ov"}));
  EXPECT_EQ(v.tn, sum_of(matrix, {"Nn", "Ns", "Nf", "Nq", "Sn", "Ss", "Sf", "Sq", "Fn", "Fs",
                                  "Ff", "Fq", "Qn", "Qs", "Qf", "Qq", "On", "Os", "Of", "Oq"}));
}

TEST(ClassQuality, CountsSAsBxb) {
  const ClassMatrix matrix = powers();
  const ClassQuality s = quality_of_class(matrix, 'S');
  EXPECT_EQ(s.tp, sum_of(matrix, {"Ss"}));
  EXPECT_EQ(s.fn, sum_of(matrix, {"Sn", "Sv", "Sf", "Sq", "So"}));
  EXPECT_EQ(s.fp, sum_of(matrix, {"Ns", "Vs", "Fs", "Os"}));
}

TEST(ClassQuality, ByHand) {
  ClassMatrix matrix;
  matrix.at('V', 'V') = 6;
  matrix.at('V', 'N') = 2;
  matrix.at('N', 'V') = 1;
  matrix.at('O', 'V') = 1;
  matrix.at('F', 'V') = 50;
  matrix.at('N', 'N') = 38;
  const ClassQuality v = quality_of_class(matrix, 'V');
  EXPECT_DOUBLE_EQ(*v.sensitivity, 6.0 / 8);
  EXPECT_DOUBLE_EQ(*v.ppv, 6.0 / 8);
  EXPECT_DOUBLE_EQ(*v.f1, 0.75);
  EXPECT_DOUBLE_EQ(*v.false_positive_rate, 2.0 / 40);
  const ClassQuality s = quality_of_class(matrix, 'S');
  EXPECT_FALSE(s.sensitivity.has_value()) << "there is no S";
  EXPECT_FALSE(s.f1.has_value());
  EXPECT_TRUE(to_json(matrix)["S"]["sensitivity"].is_null());
}

// Reference N at 100, V at 200, S at 300, and flutter from 400 to 600 with a beat at 450.
const std::vector<ReferenceBeat> kBeats = {{100, 'L'}, {200, 'V'}, {300, 'A'}, {450, 'V'}};
const std::vector<LabelledStretch> kFlutter = {{400, 600, "VF"}};

TEST(BeatClassQuality, AreComparedByMatch) {
  const std::vector<DetectedBeat> detected = {{100, {}, {}, false, 'N'},
                                              {205, {}, {}, false, 'V'},
                                              {450, {}, {}, false, 'N'},
                                              {550, {}, {}, false, 'V'},
                                              {900, {}, {}, false, 'Q'}};
  const auto evaluation = evaluate(kBeats, detected, 250, 150, kFlutter);
  ASSERT_TRUE(evaluation.beat_classes.has_value());
  ClassMatrix expected;
  expected.at('N', 'N') = expected.at('V', 'V') = expected.at('S', 'O') = expected.at('V', 'N') = 1;
  expected.at('O', 'Q') = 1;
  EXPECT_EQ(evaluation.beat_classes->counts, expected.counts) << "the beat at 550 is in flutter";
  EXPECT_EQ(evaluate(kBeats, detected, 250).beat_classes->at('O', 'V'), 1) << "no flutter is known";
  for (const char* label : {"VFL", "VFIB"})
    EXPECT_EQ(
        evaluate(kBeats, detected, 250, 150, std::vector<LabelledStretch>{{400, 600, label}}).beat_classes->counts,
        expected.counts)
        << label;
}

TEST(BeatClassQuality, AreNotThereInAnOldResult) {
  EXPECT_FALSE(evaluate(kBeats, std::vector<DetectedBeat>{{100}}, 250).beat_classes.has_value());
  EXPECT_FALSE(to_json(evaluate(kBeats, std::vector<DetectedBeat>{{100}}, 250)).contains("kinds"));
}

}  // namespace
}  // namespace beatscan
