// Tests the program with unusual file names, another locale, unusual rates, and bad rows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class InputPrograms : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string recording(const std::string& name) const {
    generate(Cpu(1), {.samples = 10'000, .abnormal_share = 0.1}, path("ecg.csv"), true);
    fs::rename(path("ecg.csv"), path(name));
    return path(name);
  }
  ProgramResult run(const Arguments& inputs, const std::string& out, const Arguments& more = {}) const {
    Arguments arguments = {"run", "--out", path(out), "--set", "vae.epochs=2", "--rate", "250"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back("--");
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    return run_program(arguments);
  }
  Json summary_of(const std::string& out) const { return Json::parse(contents_of(path(out) + "/summary.json")); }
  TemporaryFolder folder_;
};

TEST_F(InputPrograms, OddNames) {
  ASSERT_EQ(run({recording("plain.csv")}, "plain").status, 0);
  const std::string beats = contents_of(path("plain/beats.csv"));
  int out = 0;
  for (const std::string name : {"two\nlines.csv", "a b  c.csv", "\xff\xfe bytes.csv", "-dash.csv", "quo'te\".csv",
                                 "<b>&amp;.csv", "\u00e4.csv"}) {
    SCOPED_TRACE(testing::PrintToString(name));
    const std::string folder = "o" + std::to_string(out++);
    const auto result = run({recording(name)}, folder);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(contents_of(path(folder + "/beats.csv")), beats);
    EXPECT_TRUE(fs::exists(path(folder + "/report.html")));
    EXPECT_EQ(run_program({"report", path(folder)}).status, 0);
    EXPECT_EQ(contents_of(path(folder + "/report.html")).find("<b>&amp;"), std::string::npos) << "not as HTML";
  }
  const auto before = fs::current_path();
  fs::current_path(folder_.path());  // so that the argument itself begins with the dash
  EXPECT_EQ(run({"-dash.csv"}, "dash").status, 0);
  EXPECT_EQ(run_program({"inspect", "--", "-dash.csv"}).status, 0);
  fs::current_path(before);
  EXPECT_EQ(run({path("two\nlines.csv"), path("\xff\xfe bytes.csv"), path("-dash.csv")}, "batch").status, 0);
}

TEST_F(InputPrograms, ErrorsOfOddNamesAreOneLine) {
  for (const std::string name : {"two\nlines.csv", "\xff\xfe.csv", "a b.csv"}) {
    SCOPED_TRACE(testing::PrintToString(name));
    const auto result = run_program({"inspect", folder_.write(name, "mV\n1\nx\n").string()});
    EXPECT_EQ(result.status, 3);
    ASSERT_EQ(error_lines(result).size(), 1u) << result.err;
    EXPECT_NE(error_lines(result)[0].find(".csv:3: byte 5: 'x' is not a number"), std::string::npos) << result.err;
  }
}

// The locale has a decimal comma. The test creates it if the system can.
TEST_F(InputPrograms, AGermanLocale) {
  const std::string make = "localedef -i de_DE -f UTF-8 '" + path("de_DE.UTF-8") + "' 2> /dev/null";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "localedef cannot make de_DE.UTF-8 here (package locales)";
  const auto input = recording("ecg.csv");
  ASSERT_EQ(run({input}, "c").status, 0);
  setenv("LOCPATH", folder_.path().c_str(), 1);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  const locale_t german = newlocale(LC_ALL_MASK, "de_DE.UTF-8", nullptr);
  ASSERT_NE(german, locale_t{}) << "there is such a locale";
  freelocale(german);
  const auto result = run({input}, "de");
  unsetenv("LC_ALL");
  unsetenv("LOCPATH");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* name : {"beats.csv", "config.json", "quality.csv", "generated.csv", "model.safetensors"})
    EXPECT_TRUE(contents_of(path("de/") + name) == contents_of(path("c/") + name)) << name;
  EXPECT_EQ(summary_of("de")["anomaly"], summary_of("c")["anomaly"]);
}

TEST_F(InputPrograms, RatesThatAreNone) {
  const auto input = recording("ecg.csv");
  for (const std::string rate : {"0", "-0", "nan", "inf", "-250", "1e9"}) {
    expect_failure(2, "--rate", {"run", input, "--out", path("o"), "--rate", rate});
    expect_failure(2, "sample_rate_hz", {"run", input, "--out", path("o"), "--set", "ingest.sample_rate_hz=" + rate});
  }
  EXPECT_FALSE(fs::exists(path("o")));
}

TEST_F(InputPrograms, BadRowsAreInSummaryAndInspect) {
  std::string text = contents_of(recording("ecg.csv"));
  const auto at = text.find('\n', 20'000) + 1;
  text.insert(at, "oops\n");
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  const auto input = folder_.write("bad.csv", text).string();
  const Json row = {{"line", line}, {"byte", at}, {"what", "'oops' is not a number"}};
  const Json bad = {{"count", 1}, {"first", Json::array({row})}};
  const std::string words = "1 bad row: line " + std::to_string(line) + ", byte " + std::to_string(at);
  expect_failure(3, "'oops' is not a number", {"run", input, "--out", path("error"), "--rate", "250"});
  for (const std::string on_bad : {"nan", "skip"}) {
    const auto result = run({input}, on_bad, {"--set", "ingest.on_bad=" + on_bad});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    const Json summary = summary_of(on_bad);
    EXPECT_EQ(summary["input"]["bad"], bad);
    EXPECT_EQ(summary["input"]["samples"], on_bad == "nan" ? 10'001 : 10'000);
    EXPECT_EQ(summary["input"]["missing"]["samples"], on_bad == "nan" ? 1 : 0);
    EXPECT_NE(summary["advisories"].dump().find("1 bad row"), std::string::npos);
    const auto inspected = run_program({"inspect", input, "--set", "ingest.on_bad=" + on_bad});
    EXPECT_EQ(Json::parse(inspected.out)["bad"], bad);
    EXPECT_NE(inspected.err.find(words), std::string::npos) << inspected.err;
  }
  ASSERT_EQ(run({path("ecg.csv")}, "good").status, 0);
  EXPECT_EQ(contents_of(path("skip/beats.csv")), contents_of(path("good/beats.csv")));
  EXPECT_EQ(summary_of("good")["input"]["bad"]["count"], 0);
}

}  // namespace
}  // namespace beatscan
