// The real program: help, small commands, and all failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/paths/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class Cli : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  std::string recording(std::int64_t samples = 5000) const {
    generate(Cpu(1), {.samples = samples}, path("ecg.csv"), true);
    return path("ecg.csv");
  }
  std::string lines(int count, const std::string& line) const {
    std::string text = "mV\n";
    for (int i = 0; i < count; ++i) text += line + "\n";
    return folder_.write("lines.csv", text).string();
  }

  // A `run` into the folder "o" that fails and leaves nothing behind.
  void expect_run_fails(int status, const std::string& part, const std::string& input, const Arguments& more = {},
                        bool with_rate = true) const {
    const auto before = entries();
    Arguments arguments = {"run", input, "--out", path("o"), "--set", "vae.epochs=1"};
    if (with_rate) arguments.insert(arguments.end(), {"--rate", "250"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure(status, part, arguments);
    EXPECT_EQ(entries(), before) << "something was left behind";
  }
  std::set<std::string> entries() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) names.insert(entry.path().string());
    return names;
  }

  TemporaryFolder folder_;
};

Json json_from(const Arguments& arguments) {
  const auto result = run_program(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return Json::parse(result.out, nullptr, false);
}

TEST_F(Cli, VersionAndHelp) {
  const auto version = run_program({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.find("beatscan "), 0u) << version.out;
  const auto help = run_program({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("\n  129, 130, 143  stopped by a signal"), help.out.npos) << help.out;
  for (const std::string command : {"run", "evaluate", "generate", "inspect", "config", "info"}) {
    EXPECT_NE(help.out.find("\n  " + command), help.out.npos) << command;
    const auto own = run_program({command, "--help"});
    EXPECT_EQ(own.status, 0);
    const auto usage = own.out.find("Usage: " + program_path());  // as it was called
    ASSERT_NE(usage, own.out.npos) << own.out;
    EXPECT_NE(own.out.find(command, usage + program_path().size()), own.out.npos) << own.out;
    EXPECT_EQ(own.err, "");
    EXPECT_EQ(run_program({"help", command}).out, own.out);
  }
  EXPECT_EQ(run_program({"help"}).out, help.out);
  expect_failure(2, "'rum' is not a command; did you mean 'run'?", {"help", "rum"});
}

TEST_F(Cli, WrongCommandLinesAreUsageErrors) {
  expect_failure(2, "a command is required; see beatscan --help", {});
  expect_failure(2, "'rum' is not a command; did you mean 'run'?", {"rum"});
  expect_failure(2, "'rnu' is not a command; did you mean 'run'?", {"rnu", "x.csv"});
  expect_failure(2, "'--thraeds' is not an option; did you mean '--threads'?; see beatscan run --help",
                 {"run", "x.csv", "--out", "o", "--thraeds", "2"});
  expect_failure(2, "'--otu' is not an option; did you mean '--out'?", {"run", "x.csv", "--otu=o"});
  expect_failure(2, "'--frob' is not a command", {"--frob"});
  expect_failure(2, "'--sampling-rate' is not an option; did you mean '--rate'?",
                 {"run", "x.csv", "--sampling-rate", "360"});
  expect_failure(2, "'--fs' is not an option; did you mean '--rate'?", {"run", "x.csv", "--fs=360"});
  expect_failure(2, "'analyse' is not a command; did you mean 'run'?", {"analyse", "x.csv"});
  expect_failure(2, "'/' is not a command; to analyse it: beatscan run / --out DIR", {"/"});
  expect_failure(2, "'--frob' is not an option; see beatscan run --help",
                 {"run", "x.csv", "--out", "o", "--frob", "7"});
  expect_failure(2, "--out is required", {"run", "--", "--frob.csv"});
  expect_failure(2, "--out is required", {"run", "x.csv"});
  expect_failure(2, "input is required", {"run", "--out", "o"});
  expect_failure(2, "--truth is given 2 times, and takes one value", {"run", "x.csv", "--truth", "a", "--truth", "b"});
  expect_failure(2, "--rate: '360Hz' is not a number; see beatscan run --help",
                 {"run", "x.csv", "--out", "o", "--rate", "360Hz"});
  expect_failure(2, "--seed: -1 is not a whole number from 0",
                 {"generate", "--samples", "9", "--out", path("x.csv"), "--seed", "-1"});
  expect_failure(2, "--seed: -1 is not a whole number from 0", {"run", "x.csv", "--out", "o", "--seed", "-1"});
  expect_failure(2, "show", {"config", "frob"});
  expect_failure(2, "--log-format", {"info", "--log-format", "xml"});
}

TEST_F(Cli, InputsThatCannotBeRead) {
  expect_run_fails(3, "nothing.csv: cannot be read", path("nothing.csv"));
  expect_run_fails(3, "is a folder without recordings", folder_.path().string());
  expect_run_fails(3, "empty.csv: is empty", folder_.write("empty.csv", "").string());
  expect_run_fails(3, "not a whole gzip file", folder_.write("x.csv.gz", "\x1f\x8b\x08").string());
  expect_run_fails(3, "no column 'heartbeat'; the columns are 'heartbeats'; did you mean 'heartbeats'?", recording(),
                   {"--set", "ingest.column=heartbeat"});
}

TEST_F(Cli, TextInARowIsNamedWithItsLine) {
  std::string text = "mV\n";
  for (int line = 2; line <= 3000; ++line) text += line == 1234 ? "oops\n" : "0.5\n";
  expect_run_fails(3, "bad.csv:1234: byte 4931: 'oops' is not a number", folder_.write("bad.csv", text).string(),
                   {"--set", "ingest.chunk_bytes=1024"});
}

TEST_F(Cli, ConfigurationErrors) {
  expect_run_fails(2, "--set: unknown key 'vae.epoch'; did you mean 'vae.epochs'?", recording(),
                   {"--set", "vae.epoch=3"});
  const auto file = folder_.write("c.json", R"({"vae": {"epochs": 1.5}})").string();
  expect_run_fails(2, "c.json: vae.epochs: 1.5 is not a whole number", recording(), {"--config", file});
  expect_run_fails(2, "cannot be read", recording(), {"--config", path("nothing.json")});
  expect_run_fails(2, "--rate: ingest.sample_rate_hz: -1.0 is not in the range", recording(), {"--rate", "-1"}, false);
  expect_run_fails(2, "--device: device: \"gpu\" is not one of", recording(), {"--device", "gpu"});
  expect_run_fails(2, "vae.channels: ", recording(), {"--set", "vae.channels=[4,9]"});
}

TEST_F(Cli, WithoutARateOnlyTheSeedRuns) {
  expect_run_fails(2, "sampling rate unknown: give --rate", recording(), {}, false);
  expect_run_fails(2, "sampling rate", recording(), {"--config", "seed", "--truth", path("ecg.truth.csv")}, false);
}

TEST_F(Cli, RecordingsThatCannotBeAnalysed) {
  expect_run_fails(4, "lines.csv: flat: all 1000 samples are 0.5", lines(1000, "0.5"));
  expect_run_fails(4, "lines.csv: no sample has a value", lines(1000, "NaN"));
  expect_run_fails(4, "lines.csv: no sample has a value", lines(0, ""));
  expect_run_fails(4, "ecg.csv: no beats: two are needed that are not at gaps or in flat signal; 1 was found",
                   recording(100));
  expect_run_fails(4, "ecg.csv: no beats: two are needed that are not at gaps or in flat signal; none was found",
                   recording(10));
  expect_run_fails(4, "ecg.csv: too short: 100 samples", recording(100), {"--set", "method=published"});
  expect_run_fails(4, "ecg.csv: no beats: none of", recording(),
                   {"--set", "method=published", "--set", "embed.min_length_s=1.02"});
  std::string ramp;
  for (int i = 0; i < 400; ++i) ramp += std::to_string(i) + "\n";
  expect_run_fails(4, "ramp.csv: no beats", folder_.write("ramp.csv", ramp).string());
}

// The squares of such signals overflow float32.
TEST_F(Cli, AmplitudesOutOfRange) {
  for (const auto& [unit, amplitude] :
       {std::pair("e-37", "e-38, and it must be 1e-30"), std::pair("e37", "is more than a number can hold, and")}) {
    std::string text;
    for (int i = 0; i < 5000; ++i)
      text += std::to_string(i % 200 == 100 ? 9 : i % 200 == 101 ? 5 : i % 3) + unit + "\n";
    expect_run_fails(4, amplitude, folder_.write("x.csv", text).string(), {"--device", "cpu"});
  }
}

TEST_F(Cli, BenchNeedsARate) { expect_failure(2, "sampling rate unknown", {"bench", recording(), "--device", "cpu"}); }

TEST_F(Cli, DeviceCudaInsistsOnAGpu) {
  if (cuda_availability().devices > 0) GTEST_SKIP() << "needs a machine without a GPU";
  expect_run_fails(5, "no GPU: ", recording(), {"--device", "cuda"});
}

TEST_F(Cli, DryRunAsksForTheGpuThatIsInsistedOn) {
  if (cuda_availability().devices > 0) GTEST_SKIP() << "needs a machine without a GPU";
  expect_run_fails(5, "no GPU: ", recording(), {"--device", "cuda", "--dry-run"});
}

TEST_F(Cli, TheVersionMayStandBehindAnyCommand) {
  const std::string version = run_program({"--version"}).out;
  EXPECT_TRUE(version.starts_with("beatscan ")) << version;
  for (const std::string command : {"run", "score", "evaluate", "rhythm", "plot", "cohort", "bench", "info"})
    EXPECT_EQ(run_program({command, "--version"}).out, version) << command;
}

TEST_F(Cli, OutputsThatMustNotOrCannotBeWritten) {
  fs::create_directory(path("o"));
  folder_.write("o/thesis.tex", "");
  expect_run_fails(6, "o: exists and is not an earlier result", recording());
  expect_run_fails(6, "is not an earlier result", recording(), {"--force"});
  expect_failure(6, "--out: is empty; name a separate folder", {"run", recording(), "--rate", "250", "--out", ""});
  expect_failure(6, "cannot be made", {"run", recording(), "--rate", "250", "--out", "/proc/beatscan/o"});
}

TEST_F(Cli, ATruthThatDoesNotServeIsFoundBeforeTheTraining) {
  const Arguments many = {"--set", "vae.epochs=100000", "--truth"};
  const auto with = [&](const std::string& truth) {
    Arguments arguments = many;
    arguments.push_back(truth);
    return arguments;
  };
  expect_run_fails(3, "nothing.csv: cannot be read", recording(), with(path("nothing.csv")));
  expect_run_fails(3, "t.csv:2: ", recording(), with(folder_.write("t.csv", "sample,symbol\n1,%\n").string()));
}

TEST_F(Cli, ADryRunChecksAndWritesNothing) {
  const auto input = recording();
  const auto before = entries();
  const Json plan = json_from({"run", input, "--rate", "250", "--out", path("o"), "--dry-run"});
  EXPECT_EQ(plan["config"]["ingest"]["sample_rate_hz"], 250);
  EXPECT_EQ(plan["recordings"][0]["column"], "heartbeats");
  const Json strict = json_from({"run", input, "--rate", "250", "--out", path("o"), "--dry-run", "--threshold", "8.5",
                                 "--set", "score.threshold_fraction=0.1"})["config"]["score"];
  EXPECT_EQ(strict["threshold_deviations"], 8.5);
  EXPECT_TRUE(strict["threshold_fraction"].is_null());
  EXPECT_EQ(plan["recordings"][0]["out"], path("o"));
  EXPECT_EQ(entries(), before);
  expect_run_fails(3, "nothing.csv: cannot be read", path("nothing.csv"), {"--dry-run"});
  expect_run_fails(3, "no column 'x'", input, {"--dry-run", "--set", "ingest.column=x"});
  expect_run_fails(2, "sampling rate unknown", input, {"--dry-run"}, false);
  expect_failure(6, "not a folder", {"run", input, "--rate", "250", "--out", input, "--dry-run"});
  expect_failure(6, "cannot be made (Not a", {"run", input, "--rate", "250", "--out", input + "/a/b", "--dry-run"});
}

TEST_F(Cli, ConfigShowsChecksAndDescribes) {
  EXPECT_EQ(json_from({"config", "show"}), to_json(Config{}));
  EXPECT_EQ(json_from({"config", "show", "seed"}), to_json(load_config("seed", {})));
  EXPECT_EQ(json_from({"config", "show", "--set", "vae.epochs=3", "--rate", "360", "--seed", "9"}),
            to_json(load_config("", {"vae.epochs=3", "ingest.sample_rate_hz=360", "seed=9"})));
  EXPECT_EQ(json_from({"config", "schema"}), config_schema());
  EXPECT_EQ(run_program({"config", "check", source_folder() + "/configs/seed.json"}).status, 0);
  expect_failure(2, "c.json: unknown key 'sed'",
                 {"config", "check", folder_.write("c.json", R"({"sed": 1})").string()});
  expect_failure(2, "vae.channels", {"config", "check", "--set", "vae.channels=[3]"});
  expect_failure(2, "vae.channels", {"config", "show", "--set", "vae.channels=[3]"});
}

TEST_F(Cli, InfoIsJson) {
  const Json info = json_from({"info"});
  EXPECT_TRUE(info["version"].is_string());
  ASSERT_TRUE(info["devices"].is_array());
  EXPECT_EQ(info["devices"][0]["kind"], "cpu");
  EXPECT_EQ(info["devices"].size(), 1u + static_cast<std::size_t>(cuda_availability().devices));
  EXPECT_EQ(info["build"]["cuda"], cuda_availability().built);
  EXPECT_EQ(info["licences"]["program"], "Apache-2.0");
  EXPECT_EQ(info["licences"]["contains"]["zlib"], "Zlib");
}

TEST_F(Cli, InfoNamesWhatTheNoticesHave) {
  const Json contained = json_from({"info"})["licences"]["contains"];
  std::istringstream notices(contents_of(source_folder() + "/docs/notices.md"));
  int named = 0;
  for (std::string line; std::getline(notices, line);) {
    if (!line.starts_with("| [") || line.find("| in the program") == line.npos) continue;
    std::string name = line.substr(3, line.find(']') - 3);
    name = name.substr(0, name.find(" ("));
    EXPECT_TRUE(contained.contains(name)) << name;
    ++named;
  }
  EXPECT_EQ(named, 11);
}

TEST_F(Cli, InspectSaysWhatWouldBeRead) {
  const auto input = folder_.write("x.csv", "time;mV\n0;1\n1;\n2;-2.5\n").string();
  const Json inspected = json_from({"inspect", input, "--rate", "2"});
  EXPECT_EQ(inspected["columns"], (Json{"time", "mV"}));
  EXPECT_EQ(inspected["column"], "mV");
  EXPECT_EQ(inspected["delimiter"], ";");
  EXPECT_EQ(inspected["samples"], 3);
  EXPECT_EQ(inspected["missing"]["samples"], 1);
  EXPECT_EQ(inspected["min"], -2.5);
  EXPECT_EQ(inspected["max"], 1);
  EXPECT_EQ(inspected["duration_s"], 1.5);
  EXPECT_TRUE(json_from({"inspect", input})["sample_rate_hz"].is_null());
  expect_failure(3, "x.csv:3: ", {"inspect", folder_.write("x.csv", "mV\n1\noops\n").string()});
}

TEST_F(Cli, GenerateWritesARecordingAndItsTruth) {
  const Arguments arguments = {"generate", "--samples", "3000", "--rate", "360", "--seed", "3", "--out", path("g.csv")};
  EXPECT_EQ(run_program(arguments).status, 0);
  const std::string text = contents_of(path("g.csv"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3001);
  EXPECT_TRUE(contents_of(path("g.truth.csv")).starts_with("sample,symbol\n"));
  expect_failure(6, "g.csv: exists", arguments);
  expect_failure(2, "--samples is required", {"generate", "--out", path("h.csv")});
  expect_failure(2, "--style", {"generate", "--samples", "10", "--style", "roman", "--out", path("h.csv")});
  EXPECT_FALSE(fs::exists(path("h.csv")));
}

TEST_F(Cli, ErrorsAreJsonWhereAskedFor) {
  const auto result = run_program({"inspect", path("nothing.csv"), "--log-format", "json"});
  EXPECT_EQ(result.status, 3);
  const Json line = Json::parse(result.err);
  EXPECT_EQ(line["level"], "error");
  EXPECT_NE(line["message"].get<std::string>().find("nothing.csv: cannot be read"), std::string::npos);
}

TEST_F(Cli, AnErrorIsOneLineWhateverTheNameOfTheFile) {
  expect_failure(3, "no?thing?.csv: cannot be read", {"inspect", path("no\nthing\033.csv")});
  expect_failure(3, "µ?thing??.csv: cannot be read", {"inspect", path("µ\u0085thing\u2028\u009b.csv")});
}

}  // namespace
}  // namespace beatscan
