#include "app/output/beats_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "app/config/config.h"
#include "app/output/output_folder.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table_csv.h"
#include "tests/support/delineated_result.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr const char* kWavesHeader =
    "beat,lead,p_onset_s,p_peak_s,p_end_s,qrs_onset_s,qrs_end_s,t_peak_s,t_end_s,pr_ms,qrs_ms,qt_ms,qtc_ms,p_mv,st_mv,"
    "t_mv\n";

Config hodges() {
  Config config;
  config.waves.qtc = QtCorrection::hodges;
  return config;
}

std::string table_of(const RunResult& result) {
  const Config config = hodges();
  const WavesTable table(result, config);
  return csv_text(table.rows(0, table.beats()));
}

// At 100 Hz a value is 0.4 samples. The median of the known intervals is 0.6025 s, so that QTc is
// 400 + 1.75 (60 / 0.6025 - 60) = 469.3 ms. The first P wave begins before the recording does.
TEST(WavesTable, IsOneRowABeatAndLead) {
  EXPECT_EQ(table_of(delineated_result()),
            std::string(kWavesHeader) +
                "0,1,-0.007500,0.024500,0.056500,0.112500,0.202500,0.392500,0.512500,120,90,400,469.3,0.1,-0.05,0.3\n"
                "0,2,-0.007500,0.024500,0.056500,0.116500,0.202500,,,124,86,,,0.1,-0.05,\n"
                "1,1,,,,0.610000,0.700000,0.890000,1.010000,,90,400,469.3,,-0.05,0.3\n"
                "1,2,,,,0.614000,0.700000,,,,86,,,,-0.05,\n"
                "2,1,1.887500,1.919500,1.951500,2.007500,2.097500,2.287500,2.407500,120,90,400,469.3,0.1,-0.05,0.3\n"
                "2,2,1.887500,1.919500,1.951500,2.011500,2.097500,,,124,86,,,0.1,-0.05,\n"
                "3,1,,,,,,,,,,,,,,\n"
                "3,2,,,,,,,,,,,,,,\n"
                "4,1,2.890000,2.922000,2.954000,3.010000,3.100000,3.290000,3.410000,120,90,400,469.3,0.1,-0.05,0.3\n"
                "4,2,2.890000,2.922000,2.954000,3.014000,3.100000,,,124,86,,,0.1,-0.05,\n");
}

// At 4 ms a value, 70 values from R are 0.1525 + 0.28 s.
TEST(WavesTable, TheTPeakIsWhereTheWaveIsFarthestFromTheLine) {
  RunResult result = delineated_result();
  const auto peak_with = [&](float place) {
    result.waves.beats->lead_amplitudes[waves::kTPlace] = place;
    const std::string line = table_of(result).substr(std::string(kWavesHeader).size());
    return line.substr(line.find("0.202500,") + 9, 8);
  };
  EXPECT_EQ(peak_with(70), "0.432500");
  EXPECT_EQ(peak_with(91), "0.392500") << "behind the T wave of this lead";
  EXPECT_EQ(peak_with(std::numeric_limits<float>::quiet_NaN()), "0.392500");
}

TEST(WavesTable, WithoutBeatsItHasAHeader) {
  RunResult result = delineated_result();
  result.waves.beats = BeatWaves();
  EXPECT_EQ(table_of(result), kWavesHeader);
}

// Enough beats that the file is written in several parts.
RunResult long_result(std::int64_t beats) {
  RunResult result = delineated_result();
  BeatWaves& waves = *result.waves.beats;
  const auto repeat = [&](std::vector<float>& values, std::int64_t lists, std::int64_t width) {
    std::vector<float> longer;
    for (std::int64_t l = 0; l < lists; ++l)
      for (std::int64_t i = 0; i < beats * width; ++i) longer.push_back(values[l * 5 * width + i % (5 * width)]);
    values = longer;
  };
  repeat(waves.fiducials, 1, waves::kFiducials);
  repeat(waves.lead_fiducials, 2, waves::kFiducials);
  repeat(waves.lead_amplitudes, 2, waves::kAmplitudes);
  waves.p_evidence.resize(beats, 1);
  result.beats.found.r_peaks.clear();
  for (std::int64_t beat = 0; beat < beats; ++beat)
    result.beats.found.r_peaks.push_back(15.25 + 80 * static_cast<double>(beat));
  result.beats.found.broken.assign(beats - 1, 0);
  return result;
}

TEST(WriteWaves, PartsMakeTheWholeTable) {
  const TemporaryFolder folder;
  for (const std::int64_t beats : {8191, 8192, 8193, 20000}) {
    SCOPED_TRACE(beats);
    const RunResult result = long_result(beats);
    const auto target = folder.path() / std::to_string(beats);
    OutputFolder output(target, false);
    write_waves(output, result, hodges(), TableForm::csv);
    output.commit();
    const std::string text = contents_of(target / "waves.csv");
    EXPECT_EQ(std::ranges::count(text, '\n'), 2 * beats + 1);
    EXPECT_TRUE(text == table_of(result));
    EXPECT_FALSE(std::filesystem::exists(target / "waves.parquet"));
  }
}

TEST(WriteWaves, PartsMakeTheWholeTableInParquetToo) {
  if (arrow_version().empty()) GTEST_SKIP() << "built without Arrow";
  const TemporaryFolder folder;
  const RunResult result = long_result(20000);
  OutputFolder output(folder.path() / "o", false);
  write_waves(output, result, hodges(), TableForm::both);
  output.commit();
  const Config config = hodges();
  const auto whole = folder.write("whole.parquet", parquet_bytes(WavesTable(result, config).rows(0, 20000)));
  const Table table = read_parquet(folder.path() / "o/waves.parquet");
  EXPECT_EQ(table.rows, 40000);
  EXPECT_TRUE(csv_text(table) == csv_text(read_parquet(whole)));
}

TEST(WriteWaves, ParquetHasTheSameTable) {
  if (arrow_version().empty()) GTEST_SKIP() << "built without Arrow";
  const TemporaryFolder folder;
  OutputFolder output(folder.path() / "o", false);
  write_waves(output, delineated_result(), hodges(), TableForm::parquet);
  output.commit();
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "o/waves.csv"));
  const Table table = read_parquet(folder.path() / "o/waves.parquet");
  ASSERT_EQ(table.rows, 10);
  ASSERT_EQ(table.columns.size(), 16U);
  EXPECT_EQ(table.columns[1].name, "lead");
  EXPECT_EQ(std::get<Integers>(table.columns[1].cells).values[1], 2);
  EXPECT_EQ(table.columns[12].name, "qtc_ms");
  EXPECT_EQ(table.columns[12].unit, "ms");
  EXPECT_EQ(std::get<Floats>(table.columns[12].cells).values[0], 469.3F);
  EXPECT_EQ(table.columns[13].unit, "mV");
  EXPECT_TRUE(std::ranges::count(table.facts, std::pair<std::string, std::string>("recording", "x")));
}

}  // namespace
}  // namespace beatscan
