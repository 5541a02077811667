#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/report/sections/page.h"
#include "tests/support/result_with_waves.h"

namespace beatscan {
namespace {

Page page_of_intervals(const StoredResult& result) {
  Page page(result);
  add_intervals(page);
  return page;
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void expect_in(const std::string& part, const Page& page) { EXPECT_NE(page.html.find(part), page.html.npos) << part; }

TEST(IntervalsSection, HasTheMediansOfTheRecording) {
  const StoredResult result = result_with_waves(3);
  const Page page = page_of_intervals(result);
  expect_in("<dt>PR interval</dt><dd class=\"value\">160 ms</dd><dd class=\"detail\">98.5 % of the beats have a P wave",
            page);
  expect_in("<dt>QRS duration</dt><dd class=\"value\">91 ms</dd>", page);
  expect_in("<dt>QT interval</dt><dd class=\"value\">400 ms</dd>", page);
  expect_in("<dt>QTc, Fridericia</dt><dd class=\"value\">420 ms</dd>", page);
  expect_in("data-from=\"7200.000\" data-to=\"7210.000\">longest QTc of a minute: 444 ms, from 2:00:00</a>", page);
  expect_in("<dt>Non-conducted P waves</dt><dd class=\"value\">2</dd>", page);
  expect_in("data-from=\"5.400\" data-to=\"15.400\">the first non-conducted P wave at 0:10.4</a>", page);
  expect_in("60 ms behind the end of the QRS complex", page);
  expect_in("<th scope=\"row\">whole recording</th><td>0.00</td><td>0.25</td>", page);
}

TEST(IntervalsSection, ShowsTheCourseOfTwoHoursAndMore) {
  const StoredResult two = result_with_waves(2);
  const Page page = page_of_intervals(two);
  EXPECT_EQ(times_in(page.html, "<svg class=\"chart\""), 4u) << "PR, QRS, QT and QTc, ST";
  expect_in("aria-label=\"QT and QTc hour by hour, from 380 to 420 ms\"", page);
  expect_in("<th scope=\"row\">0:00 – 1:00</th><td>3,600</td><td>160</td><td>91</td><td>380</td><td>400</td>", page);
  expect_in("<th scope=\"row\">1:00 – 2:00</th><td>3,600</td><td>–</td>", page);
  expect_in("<th scope=\"row\">highest hour</th>", page);
  expect_in("A lane of the ST levels reaches from −0.3 to 0.3 mV", page);
  const Json& table = page.tables.at("intervals-trend");
  EXPECT_EQ(table.at("columns").back(), "st_mv_V<5>");
  EXPECT_EQ(table.at("data")[0], Json({0.0, 3600.0}));
  EXPECT_EQ(table.at("data")[2], Json({160.0, nullptr}));
  const StoredResult one = result_with_waves(1);
  const Page shorter = page_of_intervals(one);
  EXPECT_EQ(times_in(shorter.html, "<svg"), 0u);
  EXPECT_EQ(times_in(shorter.html, "<figure"), 0u);
  EXPECT_EQ(times_in(shorter.html, "highest hour"), 0u);
  EXPECT_EQ(times_in(shorter.html, "<table"), 1u);
}

TEST(IntervalsSection, NamesTheTimeOfDay) {
  StoredResult result = result_with_waves(2);
  result.start = StartTime{.second_of_day = 23 * 3600};
  const Page page = page_of_intervals(result);
  expect_in("<th scope=\"row\">1:00 – 2:00</th><td>00:00:00</td>", page);
}

TEST(IntervalsSection, NamesOfLeadsAreText) {
  const StoredResult result = result_with_waves(2);
  const Page page = page_of_intervals(result);
  EXPECT_EQ(page.html.find("V<5>"), page.html.npos);
  EXPECT_GE(times_in(page.html, "V&lt;5&gt;"), 2u);
}

TEST(IntervalsSection, IsMissingWithoutWaves) {
  StoredResult result = result_with_waves(2);
  result.summary.erase("waves");
  const Page page = page_of_intervals(result);
  EXPECT_EQ(page.html, "");
  EXPECT_TRUE(page.sections.empty());
}

// An hour without any interval, and a recording without one.
TEST(IntervalsSection, AbsentIntervalsAreDashes) {
  StoredResult result = result_with_waves(2);
  Json& waves = result.summary["waves"];
  for (Json* part : {&waves, &waves["hours"][0], &waves["hours"][1]}) {
    for (const char* key : {"pr_ms", "qrs_ms", "qt_ms", "qtc_ms", "p_share"}) (*part)[key] = nullptr;
    (*part)["st_mv"] = {{"II", nullptr}, {"V<5>", nullptr}};
  }
  waves["longest_qtc"] = nullptr;
  const Page page = page_of_intervals(result);
  expect_in("<dt>QT interval</dt><dd class=\"value\">–</dd>", page);
  expect_in("<th scope=\"row\">whole recording</th><td>–</td><td>–</td>", page);
  EXPECT_EQ(page.html.find("nan"), page.html.npos);
}

}  // namespace
}  // namespace beatscan
