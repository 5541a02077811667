#include "app/report/cohort_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "app/output/advisories.h"
#include "app/output/findings_json.h"
#include "app/output/result_facts.h"
#include "app/output/summary_text.h"
#include "app/report/cohort_files.h"
#include "app/report/cohort_table.h"
#include "kernels/runtime/error.h"
#include "tests/support/delineated_result.h"
#include "tests/support/expect_error.h"
#include "tests/support/page_data.h"
#include "tests/support/small_result.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

const CohortRow kGood = {.input = "in/a,b.csv",
                         .name = "a,b",
                         .duration_s = 7200,
                         .beats_a_minute = 71.6,
                         .analysable_share = 0.5,
                         .beats = 8000,
                         .anomalous = 100,
                         .anomalous_share = 0.0125,
                         .by_signal = {.good = 90, .poor = 10, .good_share = 0.02},
                         .findings = {120000, 3, 0.25, 2.5},
                         .waves = {161.5, 90, {}, 487.5, 7260},
                         .drift = 0.125,
                         .advisories = {"first", "second"}};
const CohortRow kFailed = {.input = "bad.csv", .name = "bad", .failure = "bad.csv:3: byte 5: '\"o' is not a number"};

std::optional<double> value_of(const CohortRow& row, const std::string& name) {
  const auto place = std::ranges::find(finding_columns(), name, &FindingColumn::name) - finding_columns().begin();
  return row.findings.at(place);
}

TEST(CohortRow, HasTheFiguresOfTheResult) {
  const RunResult result = ranked_result();
  const CohortRow row = cohort_row(result);
  EXPECT_EQ(row.input, "folder/x.csv");
  EXPECT_EQ(row.name, "x");
  EXPECT_EQ(row.failure, "");
  EXPECT_EQ(row.duration_s, 4);
  EXPECT_EQ(row.beats, 5);
  EXPECT_EQ(row.anomalous, 1);
  EXPECT_EQ(row.anomalous_share, 0.5);
  EXPECT_EQ(row.by_signal.good, 0);
  EXPECT_EQ(row.by_signal.poor, 1) << "the abnormal beat is in flat signal";
  EXPECT_EQ(row.analysable_share, 0.5);
  EXPECT_EQ(row.beats_a_minute, median_heart_rate(result));
  EXPECT_TRUE(row.findings.empty()) << "its beats have no classes";
  ASSERT_EQ(row.advisories.size(), advisories_of(result).size());
}

TEST(CohortRow, ReportsTheFindings) {
  RunResult result = judged_result();
  EXPECT_EQ(value_of(cohort_row(result), "af_share"), std::nullopt) << "undetermined";
  EXPECT_EQ(value_of(cohort_row(result), "afib_episodes"), std::nullopt);
  EXPECT_EQ(value_of(cohort_row(result), "vt_episodes"), 0);
  result.rhythm.findings->af = {.afib_s = 30, .assessed_s = 120};
  const CohortRow row = cohort_row(result);
  EXPECT_EQ(value_of(row, "beats_v"), 2);
  EXPECT_EQ(value_of(row, "beats_s"), 1);
  EXPECT_EQ(value_of(row, "beats_q"), 1);
  EXPECT_EQ(value_of(row, "longest_pause_s"), 2.5);
  EXPECT_EQ(value_of(row, "pause_episodes"), 1);
  EXPECT_EQ(value_of(row, "asys_s"), 3);
  EXPECT_EQ(value_of(row, "af_share"), 0.25);
  EXPECT_EQ(value_of(row, "afib_episodes"), 0);
  result.rhythm.findings->episodes.list.clear();
  EXPECT_EQ(value_of(cohort_row(result), "longest_pause_s"), std::nullopt) << "there is no pause";
}

// Readers find the older columns where they were.
TEST(FindingColumns, EachHasANameAndAPlaceOfItsOwn) {
  for (const auto& [place, name] :
       {std::pair{0, "beats_v"}, {1, "beats_s"}, {2, "af_share"}, {3, "longest_pause_s"}, {4, "beats_n"}})
    EXPECT_EQ(finding_columns()[place].name, name);
  EXPECT_EQ(wave_columns()[0].name, "pr_ms");
  auto columns = finding_columns();
  for (auto column : wave_columns()) {
    column.place = "/waves" + column.place;
    columns.push_back(column);
  }
  std::set<std::string> names, keys, places;
  for (const auto& column : columns) {
    names.insert(column.name);
    keys.insert(column.multiqc_key);
    places.insert(column.place);
    EXPECT_FALSE(column.title.empty() || column.what.empty()) << column.name;
  }
  EXPECT_EQ(names.size(), columns.size());
  EXPECT_EQ(keys.size(), columns.size());
  EXPECT_EQ(places.size(), columns.size());
}

TEST(CohortRow, ReportsTheIntervals) {
  EXPECT_EQ(cohort_row(judged_result()).waves, std::vector<std::optional<double>>(wave_columns().size()));
  RunResult result = delineated_result();
  result.waves.summary->all.pr = 160;
  result.waves.summary->longest_qtc = {487.5, 7260};
  EXPECT_EQ(cohort_row(result).waves, (std::vector<std::optional<double>>{160, {}, {}, 487.5, 7260}));
  EXPECT_EQ(wave_values(nullptr), std::vector<std::optional<double>>(wave_columns().size()));
}

// Every number in the summary has its column, so that a finding that is added to it is not forgotten here.
TEST(FindingColumns, HoldEveryFinding) {
  RunResult result = judged_result();
  result.rhythm.findings->af = {.afib_s = 30, .assessed_s = 120};
  for (auto* burden : {&result.rhythm.findings->ventricular, &result.rhythm.findings->supraventricular})
    burden->longest = burden->fastest = BeatRunFacts{3, 120, 1};
  const Json findings = findings_json(rhythm_beats(result), *result.rhythm.findings).flatten();
  std::set<std::string> places;
  for (const auto& column : finding_columns()) places.insert(column.place);
  const auto left_out = [](const std::string& place) {
    for (const char* end : {"/in_good_signal", "/beats", "/longest_s", "/first_s"})
      if (place.starts_with("/episodes/") && place.ends_with(end)) return true;
    return place == "/af/seconds" || place == "/hrv/nn_s" || place == "/hrv/windows";
  };
  for (const auto& [place, value] : findings.items()) EXPECT_TRUE(places.contains(place) || left_out(place)) << place;
}

TEST(CohortCsv, HasARowARecording) {
  std::string names, empty, names_behind, empty_behind;
  for (const auto& column : finding_columns()) {
    (column.behind_waves ? names_behind : names) += "," + column.name;
    (column.behind_waves ? empty_behind : empty) += ",";
  }
  const std::string table = cohort_csv({kGood, kFailed});
  EXPECT_EQ(table,
            "recording,folder,failure,duration_s,beats,beats_a_minute,anomalous,anomalous_share,analysable_share,"
            "advisories,anomalous_in_good_signal,share_in_good_signal" +
                names + ",drift,state,pr_ms,qrs_ms,qtc_ms,longest_qtc_ms,longest_qtc_s" + names_behind +
                "\n\"in/"
                "a,b.csv\",\"a,b\",,7200,8000,71.6,100,0.0125,0.5,first; "
                "second,90,0.02,120000,3,0.25,2.5" +
                empty.substr(4) + ",0.125,complete,161.5,90,,487.5,7260" + empty_behind +
                "\nbad.csv,,\"bad.csv:3: byte 5: '\"\"o' is not a number\",,,,,,,,," + empty + ",,failed,,,,," +
                empty_behind + "\n");
}

// A spreadsheet would reckon with a name that begins like a formula.
TEST(CohortCsv, ANameIsNoFormula) {
  CohortRow row = kGood;
  row.input = "=HYPERLINK(1)";
  row.name = "+1";
  EXPECT_TRUE(has(cohort_csv({row}), "\n'=HYPERLINK(1),'+1,,"));
}

Json row_of(const CohortRow& row) { return page_data_of(cohort_page({row}))["rows"][0]; }

// U+202E turns the text after it round: "a\u202Efdp.exe" would be read as "aexe.pdf".
TEST(CohortPage, ANameDoesNotTurnTheTextRound) {
  CohortRow row = kGood;
  row.name = "a\u202Efdp.exe";
  EXPECT_FALSE(has(cohort_page({row}), "\u202E"));
  EXPECT_EQ(row_of(row)["name"], "a[U+202E]fdp.exe");
  EXPECT_EQ(row_of(row)["link"], "a%E2%80%AEfdp.exe/report.html") << "the link leads to the folder";
}

TEST(CohortPage, ShowsWhatWasFound) {
  const std::string page = cohort_page({kGood, kFailed});
  EXPECT_TRUE(has(
      page,
      "2 recordings, 1 of them failed: 2 h, 8,000 beats, 90 of them abnormal in good signal, and 10 in poor signal."))
      << page;
  const Json data = page_data_of(page), failed = data["rows"][0], good = data["rows"][1];
  const auto value = [&](const std::string& key) {
    for (std::size_t i = 0; i < data["columns"].size(); ++i)
      if (data["columns"][i]["key"] == key) return good["values"][i];
    return Json("no such column");
  };
  for (const auto& [key, expected] : std::vector<std::pair<const char*, Json>>{{"duration_s", 7200},
                                                                               {"beats", 8000},
                                                                               {"beats_a_minute", 71.6},
                                                                               {"abnormal", 90},
                                                                               {"abnormal_share", 0.02},
                                                                               {"abnormal_poor", 10},
                                                                               {"analysable_share", 0.5},
                                                                               {"beats_v", 120000},
                                                                               {"af_share", 0.25},
                                                                               {"longest_pause_s", 2.5},
                                                                               {"vt_episodes", nullptr},
                                                                               {"pr_ms", 161.5},
                                                                               {"qtc_ms", nullptr},
                                                                               {"longest_qtc_s", 7260}})
    EXPECT_EQ(value(key), expected) << key;
  EXPECT_EQ(good["remark"], "first; second");
  EXPECT_EQ(failed["remark"], "failed: bad.csv:3: byte 5: '\"o' is not a number");
  EXPECT_TRUE(failed["link"].is_null()) << "there is nothing to look at";
  EXPECT_EQ(good["link"], "a%2Cb/report.html");
  CohortRow without_page = kGood;
  without_page.page = false;
  EXPECT_EQ(row_of(without_page)["link"], "a%2Cb/") << "without a report: the folder";
}

TEST(CohortPage, TheMostSevereComesFirst) {
  const auto vf = std::ranges::find(finding_columns(), "vf_episodes", &FindingColumn::name) - finding_columns().begin();
  CohortRow calm = kGood, severe = kGood;
  calm.by_signal.good_share = 0.9;
  severe.findings.assign(finding_columns().size(), std::nullopt);
  severe.findings[vf] = 1;
  severe.name = "severe";
  const Json rows = page_data_of(cohort_page({calm, severe, kFailed}))["rows"];
  EXPECT_EQ(rows[0]["state"], "failed");
  EXPECT_EQ(rows[1]["name"], "severe");
}

TEST(CohortPage, WhatIsNotKnownIsNull) {
  const Json values = row_of({.input = "x", .name = "x", .beats = 3})["values"];
  EXPECT_EQ(values[0], nullptr);
  EXPECT_EQ(values[1], 3);
  EXPECT_EQ(values[2], nullptr);
}

// Whatever the names, the page has the same elements; and nothing on it asks for another place.
TEST(CohortPage, NamesAndFailuresAreNoMarkup) {
  const std::string evil = "\"'><script>alert(1)</script>&<b>%#?/..\n";
  const auto tags = [](const std::string& page) { return std::ranges::count(page, '<'); };
  const auto page = [](const std::string& text) {
    return cohort_page(
        {{.input = text, .name = text, .advisories = {text}}, {.input = text, .name = text, .failure = text}});
  };
  EXPECT_EQ(tags(page(evil)), tags(page("plain")));
  EXPECT_FALSE(has(page(evil), "alert(1)</script>"));
  EXPECT_EQ(page_data_of(page(evil))["rows"][1]["link"],
            "%22%27%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E%26%3Cb%3E%25%23%3F%2F..%0A/report.html");
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_FALSE(has(page("x"), outside)) << outside;
}

TEST(WriteCohort, LinksToReportsWhereThereAreSome) {
  const TemporaryFolder folder;
  CohortRow row = kGood;
  write_cohort(folder.path(), {row, kFailed});
  EXPECT_EQ(page_data_of(contents_of(folder.path() / "index.html"))["rows"][1]["link"], "a%2Cb/");
  std::filesystem::create_directory(folder.path() / "a,b");
  folder.write("a,b/report.html", "");
  write_cohort(folder.path(), {row, kFailed});
  EXPECT_EQ(page_data_of(contents_of(folder.path() / "index.html"))["rows"][1]["link"], "a%2Cb/report.html");
  EXPECT_EQ(contents_of(folder.path() / "cohort.csv"), cohort_csv({row, kFailed}));
  expect_error(ErrorKind::output, "index.html: exists", [&] { check_cohort_files(folder.path(), true, false); });
  EXPECT_NO_THROW(check_cohort_files(folder.path(), true, true));
  EXPECT_NO_THROW(check_cohort_files(folder.path() / "other", true, false));
}

TEST(WriteCohort, LinksToTheResultWithCorrections) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "a,b/revised");
  const auto revised = [&] {
    write_cohort(folder.path(), {kGood});
    return page_data_of(contents_of(folder.path() / "index.html"))["rows"][0]["revised"];
  };
  EXPECT_EQ(revised(), nullptr);
  folder.write("a,b/revised/summary.json", "{}");
  folder.write("a,b/report.html", "");
  EXPECT_EQ(revised(), "a%2Cb/revised/report.html");
}

TEST(CohortRow, HasTheBeatsWithAPWave) {
  const auto waves = p_waves_of({{"p_share", 0.0017}, {"beats", 2962}});
  ASSERT_TRUE(waves);
  EXPECT_EQ(waves->share, 0.0017);
  EXPECT_EQ(waves->beats, 5);
  for (const Json& unknown : {Json(), Json{{"beats", 3}}, Json{{"p_share", nullptr}, {"beats", 0}}})
    EXPECT_FALSE(p_waves_of(unknown)) << unknown;
  CohortRow row = kGood;
  EXPECT_EQ(row_of(row)["p_waves"], nullptr);
  row.p_waves = waves;
  EXPECT_EQ(row_of(row)["p_waves"], (Json{{"share", 0.0017}, {"beats", 5}}));
  const RunResult result = delineated_result();
  EXPECT_EQ(cohort_row(result).p_waves->share, result.waves.summary->all.p_share);
}

TEST(WriteCohort, HasTheConfidenceOfAtrialFibrillation) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "a,b");
  const auto confidence = [&](const std::string& episodes) {
    folder.write("a,b/episodes.csv", "start_s,end_s,label,confidence\n" + episodes);
    write_cohort(folder.path(), {kGood});
    return page_data_of(contents_of(folder.path() / "index.html"))["rows"][0]["af_confidence"];
  };
  EXPECT_EQ(confidence("0,30,AFIB,0.25\n5,6,VT,1\n40,50,AFIB,0.75\n"), 0.375) << "the longer episode weighs more";
  EXPECT_EQ(confidence("0,30,AFIB,\n"), nullptr);
  EXPECT_EQ(confidence("damaged\n"), nullptr);
}

TEST(CheckCohortFiles, AFolderIsNoList) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "index.html");
  for (const bool force : {false, true})
    expect_error(ErrorKind::output, "index.html: is a folder", [&] { check_cohort_files(folder.path(), true, force); });
}

TEST(CheckCohortFiles, OtherFilesAreNoLists) {
  const TemporaryFolder folder;
  write_failures(folder.path(), {kFailed});
  EXPECT_NO_THROW(check_cohort_files(folder.path(), true, false)) << "a batch without results may be tried again";
  EXPECT_NO_THROW(check_lists(folder.path()));
  folder.write("failures.csv", "my notes");
  expect_error(ErrorKind::output, "failures.csv: is no list of a batch", [&] { check_lists(folder.path()); });
  std::filesystem::remove(folder.path() / "failures.csv");
  std::filesystem::create_directory(folder.path() / "failures.csv");
  expect_error(ErrorKind::output, "failures.csv: is a folder", [&] { check_cohort_files(folder.path(), true, true); });
}

TEST(CheckCohortFiles, ABatchAndARecordingShareNoFolder) {
  const TemporaryFolder folder;
  folder.write("cohort.csv", "");
  expect_error(ErrorKind::output, "holds a batch of results", [&] { check_cohort_files(folder.path(), false, true); });
  std::filesystem::remove(folder.path() / "cohort.csv");
  folder.write("summary.json", "{}");
  expect_error(ErrorKind::output, "is the result of one recording",
               [&] { check_cohort_files(folder.path(), true, true); });
  EXPECT_NO_THROW(check_cohort_files(folder.path(), false, false)) << "whether it may be replaced is asked elsewhere";
}

}  // namespace
}  // namespace beatscan
