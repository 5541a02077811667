#include "app/output/deidentify.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "app/output/summary_json.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

TEST(Redaction, ReplacesNames) {
  const Redaction redact({"/ward/doe_john.edf", "truth/doe_john.atr", "/r/205"}, "recording");
  EXPECT_EQ(redact("/ward/doe_john.edf: 3 gaps in doe_john.edf"), "recording: 3 gaps in recording");
  EXPECT_EQ(redact("doe_john.atr has no beats"), "recording has no beats");
  EXPECT_EQ(redact("/ward has no file"), "recording has no file");
  EXPECT_EQ(redact("205 beats, in line 3"), "205 beats, in line 3") << "a short number is no name";
  EXPECT_EQ(redact.in_json(Json{{"a", {"x", "doe_john"}}, {"b", 1}}), (Json{{"a", {"x", "recording"}}, {"b", 1}}));
}

TEST(Deidentify, LeavesOutWhatNamesAPerson) {
  using namespace std::chrono;
  RunResult result = judged_result();
  result.input.path = "/ward/doe_john.edf";
  result.input.name = "recording";
  result.input.files = {"/ward/doe_john.edf"};
  result.input.signal.metadata = {"patient: John Doe"};
  result.input.signal.start = StartTime{3600, year(2019) / 7 / 23, 7200};
  result.input.signal.events = {{.time_s = 5, .text = "John fell"}};
  result.input.warnings = {"/ward/doe_john.edf: has a gap"};
  result.input.bad = {1, {{2, 3, "'John' is not a number"}}};
  result.run.command = "beatscan run /ward/doe_john.edf";
  result.run.input_stamps = {"1:2:3"};
  result.model.source = "/ward/model.safetensors";
  deidentify(result, Redaction({result.input.path}, "recording"));
  const Json summary = summary_json(result, {}, nullptr);
  const std::string text = summary.dump();
  for (const char* name : {"doe", "John", "ward", "2019", "07-23", "+02:00"})
    EXPECT_EQ(text.find(name), text.npos) << name << " in " << text;
  EXPECT_EQ(summary["input"]["path"], "recording");
  EXPECT_TRUE(summary["input"]["sha256"].is_null());
  EXPECT_EQ(summary["input"]["start"]["date"], "1985-01-01");
  EXPECT_EQ(summary["input"]["start"]["time_of_day"], "01:00:00.000");
  EXPECT_EQ(summary["events"][0]["text"], "event 1");
  EXPECT_EQ(summary["events"][0]["time_s"], 5);
  EXPECT_EQ(summary["model"]["source"], "model.safetensors");
  EXPECT_EQ(summary["advisories"][0]["message"], "recording: has a gap");
}

TEST(Deidentify, ConfigurationsNameNoFolders) {
  Config config;
  config.classify.model = "/ward/doe/classes.json";
  EXPECT_EQ(deidentified(config).classify.model, "classes.json");
  EXPECT_EQ(deidentified(config).waves.model, "");
}

}  // namespace
}  // namespace beatscan
