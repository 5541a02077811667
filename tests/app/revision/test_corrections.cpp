#include "app/revision/corrections.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr const char* kHead = R"("format": "beatscan corrections", "version": 1)";

Corrections parsed(const std::string& lists) {
  return parse_corrections("{" + std::string(kHead) + ", " + lists + "}", "c.json");
}

TEST(Corrections, AreReadAndWritten) {
  const Corrections read = parsed(
      R"("recording": {"sha256": "ab"}, "beats": [{"time_s": 1.5, "beat_class": "V"}, {"time_s": 2, "action": "delete"},
      {"time_s": 3, "action": "insert", "beat_class": "S"}], "templates": [{"time_s": 4, "beat_class": "F"},
      {"template": 7, "beat_class": "N"}], "noise": [{"from_s": 1, "to_s": 2.5}],
      "episodes": [{"label": "AFIB", "from_s": 5, "to_s": 60, "verdict": "rejected"}])");
  EXPECT_EQ(read.input_sha256, "ab");
  ASSERT_EQ(read.beats.size(), 3U);
  EXPECT_EQ(read.beats[0].action, BeatAction::remove) << "beats are deleted before others are inserted";
  EXPECT_EQ(read.beats[1], (BeatCorrection{1.5, BeatAction::reclassify, BeatClass::ventricular}));
  EXPECT_EQ(read.beats[2], (BeatCorrection{3, BeatAction::insert, BeatClass::supraventricular}));
  EXPECT_EQ(read.templates[0].time_s, 4);
  EXPECT_EQ(read.templates[1].number, 7);
  EXPECT_EQ(read.noise[0], (NoiseMark{1, 2.5}));
  EXPECT_EQ(read.episodes[0], (EpisodeCorrection{EpisodeLabel::atrial_fibrillation, 5, 60, Verdict::rejected}));
  const Corrections again = parse_corrections(corrections_text(read), "again.json");
  EXPECT_EQ(corrections_text(again), corrections_text(read));
  EXPECT_EQ(again.beats, read.beats);
  EXPECT_EQ(again.templates, read.templates);
  EXPECT_EQ(again.episodes, read.episodes);
}

TEST(Corrections, ThatAreDamagedAreNamed) {
  const auto expect = [](const std::string& lists, const std::string& what) {
    expect_error(ErrorKind::input, what, [&] { parsed(lists); });
  };
  expect(R"("beats": [{"time_s": 1, "beat_class": "V"}, {"time_s": 1, "beat_class": "X"}])",
         "c.json: beats[1] needs 'beat_class', one of N, S, V, F, Q");
  expect(R"("beats": [{"beat_class": "V"}])", "beats[0] has no number as 'time_s'");
  expect(R"("beats": [{"time_s": -1, "beat_class": "V"}])", "before the recording's start");
  expect(R"("beats": [{"time_s": 1, "action": "move"}])", "one of delete, insert");
  expect(R"("beats": [{"time_s": 1, "class": "V"}])", "unknown key 'class'");
  expect(R"("beats": 3)", "beats is not a list");
  expect(R"("templates": [{"beat_class": "V"}])", "templates[0] needs 'time_s'");
  expect(R"("noise": [{"from_s": 3, "to_s": 3}])", "noise[0] does not end after it begins");
  expect(R"("episodes": [{"label": "AF", "from_s": 1, "to_s": 2, "verdict": "added"}])", "episodes[0] needs 'label'");
  expect(R"("beat": [])", "the document has the unknown key 'beat'");
  expect_error(ErrorKind::input, "c.json: is not JSON", [] { parse_corrections("{", "c.json"); });
  expect_error(ErrorKind::input, "has no \"format\"", [] { parse_corrections(R"({"version": 1})", "c.json"); });
  expect_error(ErrorKind::input, "has no \"version\": 1",
               [] { parse_corrections(R"({"format": "beatscan corrections", "version": 2})", "c.json"); });
}

TEST(Corrections, LaterOnesWin) {
  const auto beat = [](const char* beat_class) {
    return std::string(R"({"time_s": 1, "beat_class": ")") + beat_class + "\"}";
  };
  EXPECT_EQ(parsed(R"("beats": [)" + beat("V") + "," + beat("N") + "," + beat("V") + "]").beats.size(), 3U);
  const Corrections v = parsed(R"("beats": [)" + beat("V") + "]"), n = parsed(R"("beats": [)" + beat("N") + "]");
  EXPECT_EQ(joined(joined(v, n), v).beats.back().beat_class, BeatClass::ventricular);
  const Corrections moved = parsed(R"("episodes": [{"label": "AFIB", "from_s": 1, "to_s": 9, "verdict": "added"},
                                      {"label": "AFIB", "from_s": 2, "to_s": 5, "verdict": "rejected"},
                                      {"label": "NOISE", "from_s": 2, "to_s": 5, "verdict": "added"}])");
  ASSERT_EQ(moved.episodes.size(), 2U);
  EXPECT_EQ(moved.episodes[0].verdict, Verdict::rejected) << "an episode is added where others were rejected";
  EXPECT_EQ(moved.noise.size(), 1U);
}

TEST(Corrections, OfTwoFilesCountOnce) {
  const Corrections first =
                        parsed(R"("beats": [{"time_s": 1, "beat_class": "V"}], "noise": [{"from_s": 1, "to_s": 2}])"),
                    second = parsed(R"("beats": [{"time_s": 2, "beat_class": "S"}])");
  const Corrections both = joined(joined(first, second), second);
  EXPECT_EQ(both.beats.size(), 2U);
  EXPECT_EQ(both.noise.size(), 1U);
}

// A list of beats makes those of the result its own: 100 is V in it, 200 is missing, 350 is new, and 402 is 400.
TEST(Corrections, FollowFromAnnotations) {
  const std::vector<ReferenceBeat> listed = {{100, 'V'}, {300, 'N'}, {350, 'A'}, {402, 'N'}};
  const Corrections found = corrections_of_beats(listed, {100, 200, 300, 400}, std::vector(4, BeatClass::normal), 100);
  const std::vector<BeatCorrection> expected = {{1, BeatAction::reclassify, BeatClass::ventricular},
                                                {3.5, BeatAction::insert, BeatClass::supraventricular},
                                                {2, BeatAction::remove, BeatClass::normal}};
  EXPECT_EQ(found.beats, expected);
}

}  // namespace
}  // namespace beatscan
