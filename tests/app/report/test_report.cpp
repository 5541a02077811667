#include "app/report/report.h"

#include <gtest/gtest.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "kernels/runtime/error.h"
#include "tests/paths/paths.h"
#include "tests/support/expect_error.h"
#include "tests/support/page_data.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

const std::string kData = source_folder() + "/data/mitdb_205";

std::vector<std::string> run_arguments(const fs::path& input, const fs::path& out, const char* rate_hz = "360") {
  return {"run", input.string(), "--rate", rate_hz, "--device", "cpu", "--set", "vae.epochs=1", "--out", out.string()};
}

// Returns a recording whose file and column have names that would be markup. A file's name cannot hold a slash.
fs::path hostile_recording(const TemporaryFolder& folder) {
  std::string text = contents_of(kData + ".csv");
  text.replace(0, text.find_first_of("\r\n"), "</script><script>alert(2)</script>");
  return folder.write("<img src=x onerror=alert(1)>.csv", text.substr(0, text.find('\n', 600'000) + 1));
}

std::string script_of(const std::string& page) {
  const auto begin = page.rfind("<script>") + 8;
  return page.substr(begin, page.rfind("</script>") - begin);
}

TEST(Report, RunAndReportGiveTheSameBytes) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out";
  auto arguments = run_arguments(kData + ".csv", out);
  arguments.insert(arguments.end(), {"--truth", kData + ".truth.csv"});
  ASSERT_EQ(run_program(arguments).status, 0);
  const std::string page = contents_of(out / "report.html");
  EXPECT_LT(page.size(), 5'000'000u);
  fs::remove(out / "report.html");
  const auto result = run_program({"report", out.string()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("report.html, "), std::string::npos) << result.err;
  EXPECT_TRUE(page == contents_of(out / "report.html"));
  const auto data = page_data_of(page);
  auto summary = Json::parse(contents_of(out / "summary.json"));
  for (const char* key : {"metadata", "files"}) summary["input"].erase(key);  // they may name a person
  summary["run"].erase("input_stamps");
  EXPECT_EQ(data["summary"], summary);
  EXPECT_EQ(data["config"], Json::parse(contents_of(out / "config.json")));
  EXPECT_EQ(data["options"][0], Json({"device", "\"cpu\"", "\"auto\"", data["options"][0][3]}));
  EXPECT_EQ(data["reasons"].size(), data["strip_beats"].size());
  for (const char* array : {"samples", "flags", "scores", "classes", "templates", "episode_from", "p_onset"})
    EXPECT_TRUE(data["arrays"].contains(array)) << array;
}

TEST(Report, SaysTheVerdictWithoutAScript) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  ASSERT_EQ(run_program(run_arguments(kData + ".csv", out)).status, 0);
  const std::string page = contents_of(out / "report.html");
  const auto summary = nlohmann::json::parse(contents_of(out / "summary.json"));
  EXPECT_NE(page.find("2,655 beats, of which " + summary["anomaly"]["count_in_good_signal"].dump() +
                      " in good signal are abnormal; episodes: VT 5"),
            page.npos);
  EXPECT_EQ(page.find("{{"), page.npos) << "a place of the template is not filled in";
}

TEST(Report, CanBeLeftOut) {
  TemporaryFolder folder;
  auto arguments = run_arguments(kData + ".csv", folder.path() / "out");
  arguments.push_back("--no-report");
  ASSERT_EQ(run_program(arguments).status, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "out/report.html"));
  EXPECT_TRUE(fs::exists(folder.path() / "out/report/strips.npy"));
}

TEST(Report, NamesCannotBecomeMarkupOrScript) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out";
  ASSERT_EQ(run_program(run_arguments(hostile_recording(folder), out)).status, 0);
  const std::string page = contents_of(out / "report.html");
  EXPECT_EQ(page.find("<img"), page.npos);
  EXPECT_EQ(page.find("<script>alert"), page.npos);
  EXPECT_NE(page.find("<h1>&lt;img src=x onerror=alert(1)&gt;.csv</h1>"), page.npos);
  // There are two script elements: the data, which still is JSON, and the page's own.
  EXPECT_EQ(page_data_of(page)["summary"]["input"]["column"], "</script><script>alert(2)</script>");
  const auto begin = page.find("id=\"data\">");
  EXPECT_EQ(page.find("<script>", begin), page.rfind("<script>"));
}

// A result may come from anywhere. So each text of summary.json in turn becomes markup, and a quality of beats.csv. The
// recording is short, because a page is made for each.
TEST(Report, NoTextOfAResultBecomesMarkup) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  const std::string recording = (folder.path() / "short").string();
  ASSERT_EQ(run_program({"generate", "--samples", "40000", "--abnormal", "0.1", "--out", recording + ".csv"}).status,
            0);
  auto arguments = run_arguments(recording + ".csv", out, "250");
  arguments.insert(arguments.end(), {"--truth", recording + ".truth.csv", "--no-report"});
  ASSERT_EQ(run_program(arguments).status, 0);
  const std::string evil = "\"'><img src=x onerror=alert(1)></script><script>alert(2)</script>";
  int pages = 0;
  const auto expect_no_markup = [&](const std::string& what) {
    try {
      const std::string page = report_page(out);
      ++pages;
      for (const char* markup : {"<img src=x", "<script>alert"}) EXPECT_EQ(page.find(markup), page.npos) << what;
    } catch (const Error& error) {  // refused
      EXPECT_EQ(error.kind(), ErrorKind::input) << what << ": " << error.what();
    }
  };
  auto summary = nlohmann::ordered_json::parse(contents_of(out / "summary.json"));
  summary["input"]["start"] = {{"second_of_day", 36000}, {"date", "2026-11-21"}, {"zone", "+01:00"}};
  const auto flat = summary.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_string()) continue;
    auto changed = summary;
    changed[nlohmann::ordered_json::json_pointer(pointer)] = value.get<std::string>() + evil;
    folder.write("out/summary.json", changed.dump());
    expect_no_markup(pointer);
  }
  folder.write("out/summary.json", summary.dump());
  EXPECT_GT(pages, 5);
  std::string beats = contents_of(out / "beats.csv");
  beats.replace(beats.rfind(",good") + 1, 4, evil);
  folder.write("out/beats.csv", beats);
  expect_no_markup("beats.csv");
}

TEST(Report, ShowsTheTimeOfDayWhereItIsKnown) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  auto arguments = run_arguments(kData + ".csv", out);
  arguments.push_back("--no-report");
  ASSERT_EQ(run_program(arguments).status, 0);
  auto summary = nlohmann::ordered_json::parse(contents_of(out / "summary.json"));
  EXPECT_TRUE(page_data_of(report_page(out))["facts"]["start_s"].is_null());
  summary["input"]["start"] = {{"second_of_day", 86390.5}, {"date", "2026-11-21"}, {"zone", "Z"}};
  folder.write("out/summary.json", summary.dump());
  EXPECT_EQ(page_data_of(report_page(out))["facts"]["start_s"], 86390.5);
  for (const double impossible : {-1.0, 86400.0}) {
    summary["input"]["start"]["second_of_day"] = impossible;
    folder.write("out/summary.json", summary.dump());
    expect_error(ErrorKind::input, "'input.start' is out of range", [&] { report_page(out); });
  }
}

TEST(Report, LoadsNothingAndRunsItsOwnScriptAlone) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out";
  ASSERT_EQ(run_program(run_arguments(kData + ".csv", out)).status, 0);
  const std::string page = contents_of(out / "report.html");
  EXPECT_NE(page.find("default-src 'none'"), page.npos);
  for (const char* reference : {" src=", "@import", "url(", "href=\"http", "href=\"//"})
    EXPECT_EQ(page.find(reference), page.npos) << reference;
  EXPECT_NE(page.find("Copyright (c) 2022 Leon Sorokin"), page.npos);
  EXPECT_NE(script_of(page).find("uPlot"), std::string::npos);
}

TEST(Report, WhatIsNoResultIsAnInputError) {
  TemporaryFolder folder;
  expect_failure(3, "is no result (it has no summary.json)", {"report", folder.path().string()});
  expect_failure(3, "nowhere: is not a folder", {"report", (folder.path() / "nowhere").string()});
  expect_failure(2, "folder is required", {"report"});
}

TEST(Report, APageThatCannotBeWrittenIsAnOutputError) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out";
  auto arguments = run_arguments(kData + ".csv", out);
  arguments.push_back("--no-report");
  ASSERT_EQ(run_program(arguments).status, 0);
  fs::create_directory(out / "report.html");
  expect_failure(6, "report.html", {"report", out.string()});
  EXPECT_TRUE(fs::is_empty(out / "report.html"));
  int others = 0;
  for (const auto& entry : fs::directory_iterator(out))
    others += entry.path().string().find("partial") != std::string::npos;
  EXPECT_EQ(others, 0);
}

TEST(Report, AMissingListAndAKeyOfAnotherTypeAreNamed) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out";
  ASSERT_EQ(run_program(run_arguments(kData + ".csv", out)).status, 0);
  const auto summary = nlohmann::ordered_json::parse(contents_of(out / "summary.json"));
  const auto expect_refused = [&](const char* message, const char* pointer, const nlohmann::ordered_json& value) {
    auto changed = summary;
    changed[nlohmann::ordered_json::json_pointer(pointer)] = value;
    folder.write("out/summary.json", changed.dump());
    expect_failure(3, message, {"report", out.string()});
  };
  expect_refused("summary.json: 'beats' is not an object", "/beats", nlohmann::ordered_json::array());
  expect_refused("summary.json: lacks 'beats.found'", "/beats", nlohmann::ordered_json::object());
  expect_refused("summary.json: 'beats.found' is not a whole number", "/beats/found", "many");
  expect_refused("summary.json: 'input.path' is not a text", "/input/path", 5);
  folder.write("out/summary.json", summary.dump());
  for (const char* name : {"episodes.csv", "templates.csv", "quality.csv"}) {
    const std::string kept = contents_of(out / name);
    fs::remove(out / name);
    expect_failure(3, (std::string(name) + ": is missing, and summary.json has").c_str(), {"report", out.string()});
    folder.write(std::string("out/") + name, kept);
  }
  EXPECT_EQ(run_program({"report", out.string()}).status, 0);
}

TEST(Report, ADamagedFileIsNamedAndTheOldPageStays) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out";
  ASSERT_EQ(run_program(run_arguments(kData + ".csv", out)).status, 0);
  const std::string page = contents_of(out / "report.html");
  fs::resize_file(out / "report/rows.npy", 1000);
  expect_failure(3, "rows.npy: is cut off", {"report", out.string()});
  const std::string beats = contents_of(out / "beats.csv"), summary = contents_of(out / "summary.json");
  const auto expect_refused = [&](const char* part, const std::string& file, const std::string& from,
                                  const std::string& to, const std::string& text) {
    std::string damaged = text;
    ASSERT_NE(damaged.find(from), std::string::npos) << from;
    std::ofstream(out / file) << damaged.replace(damaged.find(from), from.size(), to);
    expect_failure(3, part, {"report", out.string()});
    std::ofstream(out / file) << text;
  };
  expect_refused("'sample_rate.hz' is out of range", "summary.json", "\"hz\": 360.0", "\"hz\": 0", summary);
  expect_refused("'sample_rate.hz' is out of range", "summary.json", "\"hz\": 360.0", "\"hz\": -5", summary);
  expect_refused("'row_after_s' is out of range", "summary.json", "\"row_after_s\": 0.3", "\"row_after_s\": 1e15",
                 summary);
  expect_refused("summary.json: is not a JSON object", "summary.json", "\"hz\": 360.0", "\"hz\": 1e999", summary);
  EXPECT_TRUE(page == contents_of(out / "report.html"));
}

}  // namespace
}  // namespace beatscan
