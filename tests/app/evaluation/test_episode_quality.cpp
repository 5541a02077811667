#include "app/evaluation/episode_quality.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/evaluation/annotations.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Stretches = std::vector<LabelledStretch>;

// At 10 Hz: AF from 0 to 10 s and from 20 to 40 s; detected from 5 to 25 s and from 60 to 70 s.
TEST(EpisodeQuality, ByHand) {
  const Stretches reference{{0, 100, "AFIB"}, {100, 200, "N"}, {200, 400, "AFIB"}};
  const Stretches found{{50, 250, "AFIB"}, {600, 700, "AFIB"}};
  const auto all = compare_episodes(reference, found, 10);
  ASSERT_EQ(all.size(), 1U);
  const EpisodeQuality& af = all.at("AFIB");
  EXPECT_DOUBLE_EQ(*af.sensitivity(), 1);
  EXPECT_DOUBLE_EQ(*af.ppv(), 0.5);
  EXPECT_DOUBLE_EQ(*af.duration_sensitivity(), 10.0 / 30);
  EXPECT_DOUBLE_EQ(*af.duration_ppv(), 10.0 / 30);
}

TEST(EpisodeQuality, AtrialFlutterIsCutOutOfWhatWasFound) {
  const Stretches reference{{0, 100, "AFIB"}, {100, 200, "AFL"}};
  const auto one = compare_episodes(reference, Stretches{{50, 200, "AFIB"}}, 10).at("AFIB");
  EXPECT_DOUBLE_EQ(one.found_s, 5);
  EXPECT_DOUBLE_EQ(*one.duration_ppv(), 1);
  const auto in_flutter = compare_episodes(reference, Stretches{{120, 180, "AFIB"}}, 10).at("AFIB");
  EXPECT_EQ(in_flutter.found, 0);
  EXPECT_FALSE(in_flutter.ppv().has_value());
}

TEST(EpisodeQuality, LabelsAreThoseOfBothSides) {
  const Stretches reference{{0, 100, "SVTA"}, {100, 200, "VFL"}, {200, 300, "VF"}, {300, 400, "PREX"}};
  const auto all = compare_episodes(reference, Stretches{{0, 50, "SVT"}, {100, 300, "VF"}, {0, 9, "NOISE"}}, 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_DOUBLE_EQ(*all.at("SVT").duration_sensitivity(), 0.5);
  EXPECT_EQ(all.at("VF").reference, 1) << "flutter that continues as fibrillation is one episode";
  EXPECT_DOUBLE_EQ(*all.at("VF").duration_sensitivity(), 1);
  EXPECT_TRUE(compare_episodes({}, {}, 10).empty());
  EXPECT_TRUE(to_json(compare_episodes(reference, {}, 10))["VF"]["ppv"].is_null());
}

class RhythmTruth : public testing::Test {
 protected:
  Stretches read(const std::string& name, const std::string& contents, std::optional<double> samples = {}) {
    return read_rhythms(folder_.write(name, contents), {}, samples);
  }
  TemporaryFolder folder_;
};

bool same(const LabelledStretch& a, const LabelledStretch& b) {
  return a.start == b.start && a.end == b.end && a.label == b.label;
}

TEST_F(RhythmTruth, ReadsCsv) {
  const auto found = read("a.csv", "sample,label\n56,N\n800,AFIB\n", 1000);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(same(found[0], {56, 800, "N"}));
  EXPECT_TRUE(same(found[1], {800, 1000, "AFIB"}));
  EXPECT_TRUE(read("b.csv", "sample,label\n").empty());
  EXPECT_THROW_KIND(read("c.csv", "sample,label\nx,N\n"), ErrorKind::input);
}

TEST_F(RhythmTruth, WarnsOfLabelsThatNobodyKnows) {
  const auto warnings =
      warnings_of(read("a.csv", "sample,label\n5,AF\n56,(N\n800,AFIB\n900,AF\n950,\n960,VFIB\n"), "a.csv");
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_TRUE(warnings[0].starts_with("a.csv: '' (1 rhythm) is not a known rhythm")) << warnings[0];
  EXPECT_TRUE(warnings[1].starts_with("a.csv: 'AF' (2 rhythms) is not a known rhythm")) << warnings[1];
}

// Writes an annotation of MIT format: the code, the time since the last one, and a note.
std::string annotation(unsigned code, unsigned after, const std::string& note = "") {
  const auto word = [](unsigned upper, unsigned lower) {
    const unsigned value = upper << 10 | lower;
    return std::string{static_cast<char>(value & 0xff), static_cast<char>(value >> 8)};
  };
  if (note.empty()) return word(code, after);
  return word(code, after) + word(63, static_cast<unsigned>(note.size())) + note +
         (note.size() % 2 ? std::string(1, '\0') : "");
}

TEST_F(RhythmTruth, ReadsAnnotations) {
  const std::string file = annotation(28, 10, "(N") + annotation(1, 50) + annotation(28, 40, "(AFIB") +
                           annotation(32, 100) + annotation(31, 10) + annotation(33, 40) + annotation(32, 50) +
                           annotation(1, 100) + std::string(2, '\0');
  const auto found = read("a.atr", file, 1000);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_TRUE(same(found[0], {10, 100, "N"}));
  EXPECT_TRUE(same(found[1], {100, 1000, "AFIB"})) << "a note of five letters is padded with a zero";
  EXPECT_TRUE(same(found[2], {200, 250, "VF"}));
  EXPECT_TRUE(same(found[3], {300, 1000, "VF"})) << "flutter without an end";
  EXPECT_EQ(read("b.atr", file).back().end, 400) << "the last annotation";
}

}  // namespace
}  // namespace beatscan
