// The real program: `beatscan rhythm` reports the rhythm of beats without a signal, and refuses a file that is not a
// list of beats.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/evaluation/truth.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;
using Json = nlohmann::json;

class CliRhythm : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  ProgramResult rhythm(const std::string& beats, const Arguments& more = {"--rate", "100"}) {
    Arguments arguments = {"rhythm", beats, "--out", path("o")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  void expect_error(const ProgramResult& result, int status, const std::string& what) {
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_NE(result.err.find(what), result.err.npos) << result.err;
    EXPECT_FALSE(fs::exists(path("o")));
  }
  TemporaryFolder folder_;
};

// Ten N a second apart, a run of three V, and a pause of 3 s.
constexpr const char* kBeats =
    "sample,symbol\n0,N\n100,N\n200,N\n300,N\n400,L\n500,N\n600,N\n700,V\n750,V\n800,E\n1100,N\n1200,A\n1300,N\n";

TEST_F(CliRhythm, WritesItsFiles) {
  const auto result = rhythm(folder_.write("b.csv", kBeats));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(contents_of(path("o/episodes.csv")),
            "start_s,end_s,start_sample,end_sample,label,beats,rate_bpm,confidence,quality,time_of_day\n"
            "7.000000,8.000000,700,800,VT,3,120.0,1.000,good,\n"
            "8.000000,11.000000,800,1100,PAUSE,2,,1.000,good,\n");
  const Json summary = Json::parse(contents_of(path("o/summary.json")));
  EXPECT_EQ(summary["schema_version"], 1);
  EXPECT_EQ(summary["kind"], "rhythm");
  EXPECT_EQ(summary["beats"]["found"], 13);
  EXPECT_EQ(summary["findings"]["kinds"], Json({{"N", 9}, {"S", 1}, {"V", 3}, {"F", 0}, {"Q", 0}}));
  EXPECT_EQ(summary["findings"]["episodes"]["VT"]["count"], 1);
  EXPECT_EQ(summary["findings"]["longest_pause_s"], 3);
  EXPECT_EQ(summary["findings"]["af"]["seconds"], 0);
  EXPECT_EQ(summary["rhythm"]["model_sha256"].get<std::string>().size(), 64U);
  EXPECT_TRUE(summary["findings"]["hrv"]["lf_ms2"].is_null());
  EXPECT_EQ(summary["findings"]["hrv"]["sdnn_ms"], 0);
  ASSERT_EQ(summary["hours"].size(), 1U);
  EXPECT_EQ(summary["hours"][0]["rate_bpm"], 60);
  EXPECT_TRUE(summary["advisories"].empty());
  const auto beats = read_truth(path("o/b.vae"));
  std::string symbols;
  for (const auto& beat : beats) symbols += beat.symbol;
  EXPECT_EQ(symbols, "NNNNNNNVVVNSN");
  EXPECT_EQ(beats.back().sample, 1300);
}

// An annotation file written by the program gives the same episodes again.
TEST_F(CliRhythm, ReadsAnnotationFiles) {
  ASSERT_EQ(rhythm(folder_.write("b.csv", kBeats)).status, 0);
  const std::string episodes = contents_of(path("o/episodes.csv"));
  fs::rename(path("o/b.vae"), path("again.atr"));
  ASSERT_EQ(rhythm(path("again.atr"), {"--rate", "100", "--force"}).status, 0);
  EXPECT_EQ(contents_of(path("o/episodes.csv")), episodes);
}

// In marked fibrillation no beats are annotated, which must not count as asystole. The file consists of 16-bit words: a
// code in the upper 6 bits, and the samples since the previous mark; N is 1, [ is 32, ] is 33.
class MarkedFibrillation : public CliRhythm {
 protected:
  static std::string mark(unsigned code, unsigned after) {
    return {static_cast<char>(after & 0xff), static_cast<char>(code << 2 | after >> 8)};
  }
  static std::string beats(int count) {
    std::string text;
    for (int beat = 0; beat < count; ++beat) text += mark(1, 100);
    return text;
  }
};

TEST_F(MarkedFibrillation, IsNotAsystole) {
  const std::string file = beats(10) + mark(32, 50) + mark(33, 900) + beats(10) + mark(0, 0);
  const auto result = rhythm(folder_.write("vf.atr", file));
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string episodes = contents_of(path("o/episodes.csv"));
  EXPECT_NE(episodes.find("10.500000,19.500000,1050,1950,VF,0,,1.000,good"), episodes.npos) << episodes;
  EXPECT_EQ(episodes.find("ASYS"), episodes.npos) << episodes;
  EXPECT_EQ(episodes.find("PAUSE"), episodes.npos) << episodes;
}

TEST_F(MarkedFibrillation, BehindTheLastBeatBelongsToTheRecording) {
  const std::string file = beats(10) + mark(32, 50) + mark(33, 900) + mark(0, 0);
  ASSERT_EQ(rhythm(folder_.write("vf.atr", file)).status, 0);
  const Json summary = Json::parse(contents_of(path("o/summary.json")));
  EXPECT_EQ(summary["input"]["samples"], 1950);
  EXPECT_EQ(summary["input"]["duration_s"], 19.5);
  EXPECT_EQ(summary["findings"]["episodes"]["VF"]["seconds"], 9);
}

// Fibrillation marked by an expert keeps its confidence even if regular beats are marked in it.
TEST_F(MarkedFibrillation, StaysWithRegularBeatsInIt) {
  const std::string file = beats(10) + mark(32, 50) + mark(1, 50) + beats(12) + mark(33, 50) + beats(5) + mark(0, 0);
  ASSERT_EQ(rhythm(folder_.write("vf.atr", file)).status, 0);
  const std::string episodes = contents_of(path("o/episodes.csv"));
  EXPECT_NE(episodes.find(",VF,13,"), episodes.npos) << episodes;
  EXPECT_EQ(episodes.find("NOISE"), episodes.npos) << episodes;
  const Json summary = Json::parse(contents_of(path("o/summary.json")));
  ASSERT_EQ(summary["advisories"].size(), 1U);
  EXPECT_TRUE(
      summary["advisories"][0]["message"].get<std::string>().starts_with("13 beats are listed in ventricular fib"));
}

// From 10 s on there is no beat except one at 30 s; fibrillation is marked from 16 to 20 s.
TEST_F(MarkedFibrillation, LeavesTheAsystoleBesideIt) {
  const std::string file = beats(10) + mark(32, 600) + mark(33, 400) + mark(1, 1000) + beats(3) + mark(0, 0);
  ASSERT_EQ(rhythm(folder_.write("vf.atr", file)).status, 0);
  const std::string episodes = contents_of(path("o/episodes.csv"));
  EXPECT_NE(episodes.find("10.000000,16.000000,1000,1600,ASYS,"), episodes.npos) << episodes;
  EXPECT_NE(episodes.find("16.000000,20.000000,1600,2000,VF,"), episodes.npos) << episodes;
  EXPECT_NE(episodes.find("20.000000,30.000000,2000,3000,ASYS,"), episodes.npos) << episodes;
}

TEST_F(MarkedFibrillation, WithoutAnEndIsReported) {
  const auto result = rhythm(folder_.write("vf.atr", beats(10) + mark(32, 50) + mark(0, 0)));
  EXPECT_NE(result.err.find("is marked at 10.5 s, with no end"), result.err.npos) << result.err;
  EXPECT_EQ(contents_of(path("o/episodes.csv")).find("VF"), std::string::npos);
}

TEST_F(CliRhythm, AnnotationFilesTellTheirRate) {
  ASSERT_EQ(rhythm(folder_.write("b.csv", kBeats)).status, 0);
  const std::string episodes = contents_of(path("o/episodes.csv"));
  fs::rename(path("o/b.vae"), path("again.atr"));
  ASSERT_EQ(rhythm(path("again.atr"), {"--force"}).status, 0);
  EXPECT_EQ(contents_of(path("o/episodes.csv")), episodes);
}

TEST_F(CliRhythm, BeatsWithoutSymbols) {
  const auto result = rhythm(folder_.write("b.csv", "sample\n0\n100\n200\n"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("3 of 3 beats have no symbol"), result.err.npos) << result.err;
  EXPECT_EQ(Json::parse(contents_of(path("o/summary.json")))["findings"]["kinds"]["N"], 3);
}

TEST_F(CliRhythm, WarnsOfBeatsThatAreListedTwice) {
  const auto result = rhythm(folder_.write("b.csv", "sample,symbol\n0,N\n100,N\n100,N\n109,V\n200,N\n300,N\n"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("1 of 6 beats lies at the sample of the previous beat"), result.err.npos) << result.err;
  EXPECT_NE(result.err.find("1 of 6 beats comes less than 0.1 s after"), result.err.npos) << result.err;
  EXPECT_EQ(Json::parse(contents_of(path("o/summary.json")))["advisories"].size(), 2U);
}

TEST_F(CliRhythm, WarnsOfARateThatItsTimesContradict) {
  const auto beats = folder_.write("b.csv", "sample,time_s,symbol\n100,0.2778,N\n460,1.2778,N\n820,2.2778,N\n");
  const auto wrong = rhythm(beats, {"--rate", "200"});
  ASSERT_EQ(wrong.status, 0) << wrong.err;
  EXPECT_NE(wrong.err.find("samples and times give 360 Hz, but 200 Hz is used"), wrong.err.npos) << wrong.err;
  EXPECT_EQ(rhythm(beats, {"--rate", "360", "--force"}).err, "");
  EXPECT_EQ(rhythm(beats, {"--rate", "361", "--force"}).err, "") << "rounded";
  const auto milliseconds = folder_.write("m.csv", "sample,time,symbol\n0,0,N\n360,1000,N\n720,2000,N\n");
  EXPECT_EQ(rhythm(milliseconds, {"--rate", "360", "--force"}).err, "") << "no unit";
}

TEST_F(CliRhythm, WarnsOfARateThatNoHeartHas) {
  const auto result = rhythm(folder_.write("b.csv", kBeats), {"--rate", "1000"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("median heart rate of 600 a minute: check the sampling rate"), result.err.npos)
      << result.err;
}

// A list gets the same warnings as the beats of `run`.
TEST_F(CliRhythm, WarnsOfAnUncertainRhythm) {
  const auto warnings = [&](const std::vector<int>& samples) {
    std::string beats = "sample,symbol\n";
    for (const int sample : samples) beats += std::to_string(sample) + ",N\n";
    const auto result = rhythm(folder_.write("b.csv", beats), {"--rate", "100", "--force"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.err;
  };
  std::vector<int> regular;
  for (int i = 0; i < 60; ++i) regular.push_back(80 * i);
  EXPECT_EQ(warnings(regular), "");
  auto twice = regular;
  twice.insert(twice.end(), regular.begin() + 1, regular.end());
  EXPECT_NE(warnings(twice).find("58 of 119 beats follow beats that come later: they are sorted"), std::string::npos);
}

TEST_F(CliRhythm, BeatsThatAreListedTwiceHaveARate) {
  std::string beats = "sample,symbol\n";
  for (int i = 0; i < 30; ++i)
    for (int twice = 0; twice < 2; ++twice) beats += std::to_string(80 * i) + ",N\n";
  const auto result = rhythm(folder_.write("b.csv", beats));
  EXPECT_NE(result.err.find("30 of 60 beats lie at the sample of the previous beat"), result.err.npos) << result.err;
  EXPECT_EQ(result.err.find("check the sampling rate"), result.err.npos) << result.err;
}

TEST_F(CliRhythm, OneBeat) {
  const auto result = rhythm(folder_.write("b.csv", "symbol,sample\nV,7\n"));
  ASSERT_EQ(result.status, 0) << result.err;
  const Json summary = Json::parse(contents_of(path("o/summary.json")));
  EXPECT_TRUE(summary["findings"]["hrv"]["mean_nn_ms"].is_null());
  EXPECT_TRUE(summary["hours"][0]["rate_bpm"].is_null());
}

TEST_F(CliRhythm, OptionsDecide) {
  const auto result = rhythm(folder_.write("b.csv", kBeats),
                             {"--rate", "100", "--set", "episodes.vt_rate_bpm=120", "--set", "episodes.pause_s=3"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Json episodes = Json::parse(contents_of(path("o/summary.json")))["findings"]["episodes"];
  EXPECT_TRUE(episodes.contains("IVR") && !episodes.contains("PAUSE"));
}

// The model classifies irregular intervals as atrial fibrillation, for any source, and regular ones not.
TEST_F(CliRhythm, RecognisesAtrialFibrillation) {
  std::string beats = "sample\n";
  int at = 0;
  unsigned random = 1;
  for (int beat = 0; beat < 600; ++beat) {
    random = random * 1664525U + 1013904223U;
    const bool irregular = beat >= 200 && beat < 400;
    at += irregular ? 45 + static_cast<int>((random >> 16) % 65) : 80 + static_cast<int>((random >> 16) % 3);
    beats += std::to_string(at) + "\n";
  }
  const auto file = folder_.write("b.csv", beats);
  for (const std::string source : {"auto", "strip", "holter", "monitor"}) {
    const auto result = rhythm(file, {"--rate", "100", "--source", source, "--force"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(Json::parse(contents_of(path("o/config.json")))["rhythm"]["source"], source);
    const Json afib = Json::parse(contents_of(path("o/summary.json")))["findings"]["episodes"]["AFIB"];
    EXPECT_EQ(afib["count"], 1) << source;
    EXPECT_NEAR(afib["first_s"].get<double>(), 161, 8) << source;
    EXPECT_NEAR(afib["seconds"].get<double>(), 154, 16) << source;
  }
}

TEST_F(CliRhythm, Errors) {
  const std::string beats = folder_.write("b.csv", kBeats);
  expect_error(rhythm(beats, {}), 2, "--rate HZ");
  expect_error(rhythm(beats, {"--rate", "100", "--set", "episodes.run_beats=0"}), 2, "episodes.run_beats");
  expect_error(rhythm(beats, {"--rate", "100", "--source", "ward"}), 2, "--source");
  expect_error(rhythm(beats, {"--rate", "100", "--set", "rhythm.model=none.json"}), 2, "none.json");
  expect_error(rhythm(beats, {"--rate", "100", "--set", "episodes.slow_bpm=200"}), 2, "episodes.slow_bpm");
  expect_error(rhythm(path("none.csv")), 3, "none.csv");
  expect_error(rhythm(folder_.write("x.csv", "sample,symbol\n1,N\n2,x\n")), 3, "x.csv:3: 'x' is not a beat symbol");
  expect_error(rhythm(folder_.write("s.csv", "sample\n1.5\n")), 3, "s.csv:2: '1.5' is not a sample number");
  expect_error(rhythm(folder_.write("c.csv", "symbol\nN\n")), 3, "c.csv:1: the header has no column 'sample'");
  expect_error(rhythm(folder_.write("e.csv", "sample,symbol\n")), 4, "has no beats");
  expect_error(rhythm(folder_.write("y.csv", "sample\n9000000000000000000\n")), 3, "ten years");
  expect_error(rhythm(folder_.write("t.atr", "\x01")), 3, "t.atr: byte");
}

// There is no signal to draw; the message reports that, and not a missing file.
TEST_F(CliRhythm, ItsResultIsComparedWithRhythms) {
  const std::string beats = folder_.write("b.csv", kBeats);
  ASSERT_EQ(rhythm(beats).status, 0);
  const auto result = run_program({"evaluate", path("o"), "--truth", beats});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_NE(result.err.find("is compared with rhythms; give them with --rhythms FILE: "), result.err.npos)
      << result.err;
}

TEST_F(CliRhythm, ItsResultHasNoPictures) {
  ASSERT_EQ(rhythm(folder_.write("b.csv", kBeats)).status, 0);
  for (const Arguments& arguments :
       {Arguments{"report", path("o")}, Arguments{"plot", path("o"), "--beat", "1", "--out", path("a.svg")}}) {
    const auto drawn = run_program(arguments);
    EXPECT_EQ(drawn.status, 3);
    EXPECT_NE(drawn.err.find("o: is a result of `beatscan rhythm`: beats without a signal"), drawn.err.npos)
        << drawn.err;
  }
}

// Neither an earlier result nor the beats themselves are lost.
TEST_F(CliRhythm, ReplacesNothingUnasked) {
  const std::string beats = folder_.write("b.csv", kBeats);
  ASSERT_EQ(rhythm(beats).status, 0);
  EXPECT_EQ(rhythm(beats).status, 6);
  EXPECT_EQ(rhythm(beats, {"--rate", "100", "--force"}).status, 0);
  fs::copy_file(beats, path("o/beats.csv"));
  EXPECT_EQ(rhythm(path("o/beats.csv"), {"--rate", "100", "--force"}).status, 6);
  EXPECT_TRUE(fs::exists(path("o/beats.csv")));
}

}  // namespace
}  // namespace beatscan
