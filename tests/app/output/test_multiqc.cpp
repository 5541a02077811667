#include "app/output/outputs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/output/findings_json.h"
#include "app/output/result_facts.h"
#include "tests/support/delineated_result.h"
#include "tests/support/small_result.h"

namespace beatscan {
namespace {

// MultiQC's documentation requires a section id, and for a table headers and cells with the same keys.
TEST(Multiqc, IsOneRowOfATable) {
  const Json section = multiqc_json(ranked_result());
  EXPECT_EQ(section["id"], "beatscan");
  EXPECT_EQ(section["plot_type"], "table");
  for (const char* key : {"section_name", "description"}) EXPECT_TRUE(section[key].is_string()) << key;
  ASSERT_EQ(section["data"].size(), 1u);
  const Json& row = section["data"]["x"];
  EXPECT_EQ(row["beats"], 5);
  EXPECT_EQ(row["hours"], 4.0 / 3600);
  EXPECT_EQ(row["heart_rate"], *median_heart_rate(ranked_result()));
  EXPECT_EQ(row["anomalous"], 1);
  EXPECT_EQ(row["anomalous_percent"], 50);
  EXPECT_EQ(row["anomalous_good"], 0);
  EXPECT_EQ(row["anomalous_good_percent"], 0);
  EXPECT_EQ(row["anomalous_poor"], 1);
  EXPECT_EQ(row["analysable_percent"], 50);
  EXPECT_EQ(row["advisories"], 1) << "half of the signal is poor";
  EXPECT_EQ(row.size() + finding_columns().size() + wave_columns().size(), section["headers"].size())
      << "its beats have no classes, and its rhythm was not assessed";
  for (const auto& [key, value] : row.items()) {
    EXPECT_TRUE(value.is_number()) << key;
    for (const char* part : {"title", "description", "format", "scale"})
      EXPECT_TRUE(section["headers"][key][part].is_string()) << key << " " << part;
  }
}

TEST(Multiqc, HasTheFindings) {
  RunResult result = judged_result();
  EXPECT_FALSE(multiqc_json(result)["data"]["x"].contains("af_percent")) << "undetermined";
  result.rhythm.findings->af = {.afib_s = 30, .assessed_s = 120};
  const Json section = multiqc_json(result), row = section["data"]["x"];
  EXPECT_EQ(row["beats_v"], 2);
  EXPECT_EQ(row["beats_s"], 1);
  EXPECT_EQ(row["longest_pause"], 2.5);
  EXPECT_EQ(row["af_percent"], 25);
  EXPECT_EQ(row["asys_episodes"], 1);
  EXPECT_EQ(row["asys_s"], 3);
  for (const auto& [key, value] : row.items()) EXPECT_TRUE(section["headers"].contains(key)) << key;
  EXPECT_FALSE(section["headers"]["vt_episodes"].contains("hidden"));
  EXPECT_EQ(section["headers"]["svt_episodes"]["hidden"], true);
}

TEST(Multiqc, HasTheIntervals) {
  RunResult result = delineated_result();
  result.waves.summary->all.pr = 160.04;
  result.waves.summary->all.qrs = 90;
  result.waves.summary->longest_qtc = {487.25, 7260};
  const Json section = multiqc_json(result), row = section["data"]["x"];
  EXPECT_EQ(row["pr_ms"], 160);
  EXPECT_EQ(row["qrs_ms"], 90);
  EXPECT_EQ(row["longest_qtc_ms"], 487.3);
  EXPECT_EQ(row["longest_qtc_s"], 7260);
  EXPECT_FALSE(row.contains("qtc_ms")) << "of one beat in good signal";
  for (const auto& column : wave_columns()) EXPECT_FALSE(section["headers"][column.name].contains("hidden"));
  EXPECT_EQ(section["headers"]["pr_ms"]["suffix"], " ms");
  EXPECT_EQ(section["headers"]["longest_qtc_s"]["suffix"], " s");
}

TEST(Multiqc, WhatIsNotKnownHasNoCell) {
  RunResult result = small_result();  // the published method does not assess the signal
  result.input.sample_rate_hz.reset();
  const Json section = multiqc_json(result);
  for (const char* key :
       {"hours", "heart_rate", "analysable_percent", "beats_v", "beats_s", "af_percent", "longest_pause", "pr_ms"})
    EXPECT_FALSE(section["data"]["x"].contains(key)) << key;
  EXPECT_EQ(section["headers"], multiqc_json(ranked_result())["headers"]) << "one table with the others";
}

TEST(Multiqc, NamesAreNoMarkup) {
  RunResult result = small_result();
  result.input.name = "a <b>x\"'&\n \xc3\xa9";
  EXPECT_EQ(multiqc_json(result)["data"].begin().key(), "a _b_x____ \xc3\xa9");
}

}  // namespace
}  // namespace beatscan
