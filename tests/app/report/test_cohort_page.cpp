#include "app/report/cohort_page.h"

#include <gtest/gtest.h>

#include "app/result/summary_text.h"
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
                         .beats_v = 12,
                         .beats_s = 3,
                         .af_share = 0.25,
                         .longest_pause_s = 2.5,
                         .warnings = {"first", "second"}};
const CohortRow kFailed = {.input = "bad.csv", .name = "bad", .failure = "bad.csv:3: byte 5: '\"o' is not a number"};

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
  EXPECT_FALSE(row.beats_v || row.af_share || row.longest_pause_s) << "its beats have no kinds";
  EXPECT_EQ(row.warnings, warnings_of(result));
}

TEST(CohortRow, TellsTheFindings) {
  RunResult result = ranked_result();
  result.findings =
      Findings{{Kind::ventricular, Kind::unknown, Kind::normal, Kind::ventricular, Kind::supraventricular},
               {1, -1, 0, -1, -1},
               {}};
  result.rhythm.emplace();
  result.rhythm->episodes.linked.assign(4, 1);
  result.rhythm->episodes.hidden.assign(4, 0);
  const double hz = *result.input.sample_rate_hz;
  result.rhythm->episodes.list = {{0, 2.5 * hz, EpisodeLabel::pause, 2}, {3 * hz, 6 * hz, EpisodeLabel::asystole, 2}};
  EXPECT_FALSE(cohort_row(result).af_share) << "it could not be told";
  result.rhythm->af = {.afib_s = 30, .told_s = 120};
  const CohortRow row = cohort_row(result);
  EXPECT_EQ(row.beats_v, 2);
  EXPECT_EQ(row.beats_s, 1);
  EXPECT_EQ(row.longest_pause_s, 2.5);
  EXPECT_EQ(row.af_share, 0.25);
  result.rhythm->episodes.list.clear();
  EXPECT_FALSE(cohort_row(result).longest_pause_s) << "there is no pause";
}

TEST(CohortCsv, HasARowARecording) {
  EXPECT_EQ(cohort_csv({kGood, kFailed}),
            "recording,folder,failure,duration_s,beats,beats_a_minute,anomalous,anomalous_share,analysable_share,"
            "warnings,anomalous_in_good_signal,share_in_good_signal,beats_v,beats_s,af_share,longest_pause_s\n"
            "\"in/a,b.csv\",\"a,b\",,7200,8000,71.6,100,0.0125,0.5,first; second,90,0.02,12,3,0.25,2.5\n"
            "bad.csv,,\"bad.csv:3: byte 5: '\"\"o' is not a number\",,,,,,,,,,,,,\n");
}

TEST(CohortPage, ShowsWhatWasFound) {
  const std::string page = cohort_page({kGood, kFailed}, true);
  EXPECT_TRUE(has(
      page,
      "2 recordings, 1 of them failed: 2 h, 8,000 beats, 90 of them abnormal in good signal, and 10 in poor signal, "
      "which may be noise."))
      << page;
  for (const char* part : {"<a href=\"a%2Cb/report.html\">a,b</a>", ">2 h</td>", ">8,000</td>", ">72</td>", ">90</td>",
                           ">2.0 %</td>", ">10</td>", ">50.0 %</td>", ">first; second</td>"})
    EXPECT_TRUE(has(page, part)) << part;
  EXPECT_TRUE(has(page, ">failed: bad.csv:3: byte 5: &#39;&quot;o&#39; is not a number</td>"));
  EXPECT_FALSE(has(page, "href=\"bad/")) << "there is nothing to look at";
  EXPECT_TRUE(has(cohort_page({kGood}, false), "href=\"a%2Cb/\"")) << "without reports: the folder";
}

TEST(CohortPage, WhatIsNotKnownIsADash) {
  const std::string page = cohort_page({{.input = "x", .name = "x", .beats = 3}}, true);
  EXPECT_TRUE(has(page, "</th><td>–</td><td data-v=\"3\">3</td><td>–</td>")) << page;
}

// Whatever the names, the page has the same elements; and nothing on it asks for another place.
TEST(CohortPage, NamesAndFailuresAreNoMarkup) {
  const std::string evil = "\"'><script>alert(1)</script>&<b>%#?/..\n";
  const auto tags = [](const std::string& page) { return std::ranges::count(page, '<'); };
  const auto page = [](const std::string& text) {
    return cohort_page(
        {{.input = text, .name = text, .warnings = {text}}, {.input = text, .name = text, .failure = text}}, true);
  };
  EXPECT_EQ(tags(page(evil)), tags(page("plain")));
  EXPECT_FALSE(has(page(evil), "alert(1)</script>"));
  EXPECT_TRUE(has(page(evil), "href=\"%22%27%3E%3Cscript%3Ealert%281%29%3C%2Fscript%3E%26%3Cb%3E%25%23%3F%2F..%0A/"));
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("})
    EXPECT_FALSE(has(page("x"), outside)) << outside;
}

TEST(WriteCohort, LinksToReportsWhereThereAreSome) {
  const TemporaryFolder folder;
  CohortRow row = kGood;
  write_cohort(folder.path(), {row, kFailed});
  EXPECT_TRUE(has(contents_of(folder.path() / "index.html"), "href=\"a%2Cb/\""));
  std::filesystem::create_directory(folder.path() / "a,b");
  folder.write("a,b/report.html", "");
  write_cohort(folder.path(), {row, kFailed});
  EXPECT_TRUE(has(contents_of(folder.path() / "index.html"), "href=\"a%2Cb/report.html\""));
  EXPECT_EQ(contents_of(folder.path() / "cohort.csv"), cohort_csv({row, kFailed}));
  expect_error(ErrorKind::output, "index.html: exists", [&] { check_cohort_files(folder.path(), 2, false); });
  EXPECT_NO_THROW(check_cohort_files(folder.path(), 2, true));
  EXPECT_NO_THROW(check_cohort_files(folder.path() / "other", 2, false));
}

TEST(CheckCohortFiles, ABatchAndARecordingShareNoFolder) {
  const TemporaryFolder folder;
  folder.write("cohort.csv", "");
  expect_error(ErrorKind::output, "holds a batch of results", [&] { check_cohort_files(folder.path(), 1, true); });
  std::filesystem::remove(folder.path() / "cohort.csv");
  folder.write("summary.json", "{}");
  expect_error(ErrorKind::output, "is the result of one recording",
               [&] { check_cohort_files(folder.path(), 2, true); });
  EXPECT_NO_THROW(check_cohort_files(folder.path(), 1, false)) << "whether it may be replaced is asked elsewhere";
}

}  // namespace
}  // namespace beatscan
