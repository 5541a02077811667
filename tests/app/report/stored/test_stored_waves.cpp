#include "app/report/stored/stored_waves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/stored/stored_result.h"
#include "tests/support/expect_error.h"
#include "tests/support/result_with_waves.h"

namespace beatscan {
namespace {

TEST(StoredWaves, AreThoseOfTheSummary) {
  const auto waves = stored_waves(result_with_waves(3));
  ASSERT_TRUE(waves);
  EXPECT_EQ(waves->correction, "Fridericia");
  EXPECT_EQ(waves->st_after_j_s, 0.06);
  EXPECT_EQ(waves->leads, (std::vector<std::string>{"II", "V<5>"}));
  const IntervalMedians& all = waves->summary.all;
  EXPECT_EQ(all.beats, 10000);
  EXPECT_EQ(all.pr, 160);
  EXPECT_EQ(all.qrs, 90.6);
  EXPECT_EQ(all.qt, 400);
  EXPECT_EQ(all.qtc, 420);
  EXPECT_EQ(all.p_share, 0.985);
  EXPECT_EQ(all.non_conducted, 2);
  EXPECT_EQ(all.st_mv, (std::vector<double>{-0.004, 0.25}));
  ASSERT_EQ(waves->summary.hours.size(), 3u);
  EXPECT_EQ(waves->summary.hours[2].qt, 420);
  EXPECT_TRUE(std::isnan(waves->summary.hours[1].pr)) << "null in the file";
  ASSERT_TRUE(waves->summary.longest_qtc);
  EXPECT_EQ(waves->summary.longest_qtc->qtc_ms, 444);
  EXPECT_EQ(waves->summary.longest_qtc->begin_s, 7200);
}

TEST(StoredWaves, ThereAreNoneInOlderResults) {
  StoredResult result = result_with_waves(1);
  result.summary["waves"] = nullptr;
  EXPECT_FALSE(stored_waves(result)) << "the published method";
  result.summary.erase("waves");
  EXPECT_FALSE(stored_waves(result));
}

TEST(StoredWaves, WhatCannotBeIsRefused) {
  const auto refused = [](const char* place, const Json& value, const std::string& key) {
    StoredResult result = result_with_waves(3);
    result.folder = "out";
    result.summary["waves"][Json::json_pointer(place)] = value;
    expect_error(ErrorKind::input, "out/summary.json: 'waves." + key + "' is out of range; run the analysis again",
                 [&] { stored_waves(result); });
  };
  refused("/beats", -1, "beats");
  refused("/beats", 1e300, "beats");
  refused("/qt_ms", 1e300, "qt_ms");
  refused("/hours/1/st_mv/II", -1e12, "st_mv");
  refused("/longest_qtc/begin_s", 3 * 3600 + 1, "longest_qtc");
  refused("/hours", std::vector<Json>(5), "hours");
}

}  // namespace
}  // namespace beatscan
