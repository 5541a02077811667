// Writes tables as Parquet and reads them back. Skipped in a build without Arrow.
#include "app/output/tables/parquet.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "app/output/beats_table.h"
#include "app/output/tables/table.h"
#include "app/output/tables/table_csv.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_result.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class ParquetFile : public testing::Test {
 protected:
  void SetUp() override {
    if (arrow_version().empty()) GTEST_SKIP() << "built without Arrow";
  }
  Table read_back(const Table& table) { return read_parquet(folder_.write("t.parquet", parquet_bytes(table))); }
  TemporaryFolder folder_;
};

TEST_F(ParquetFile, HoldsTheCellsOfTheCsv) {
  const Table beats = beats_table(ranked_result());
  const Table back = read_back(beats);
  ASSERT_EQ(back.columns.size(), beats.columns.size());
  for (std::size_t i = 0; i < beats.columns.size(); ++i) {
    EXPECT_EQ(back.columns[i].name, beats.columns[i].name);
    EXPECT_EQ(back.columns[i].unit, beats.columns[i].unit) << beats.columns[i].name;
  }
  // Only trailing zeros of times differ: they are read as doubles.
  EXPECT_EQ(csv_text(read_back(back)), csv_text(back));
  const auto& time = std::get<Doubles>(back.columns[2].cells).values;
  EXPECT_EQ(time, (std::vector<double>{0.15, 0.65, 2.05, 2.65, 3.05}));
  const auto& flags = std::get<Flags>(back.columns[13].cells).values;
  EXPECT_EQ(flags, (std::vector<std::uint8_t>{1, kNoFlag, 0, kNoFlag, kNoFlag}));
}

TEST_F(ParquetFile, HasTheRecording) {
  const Table back = read_back(beats_table(ranked_result()));
  std::map<std::string, std::string> facts(back.facts.begin(), back.facts.end());
  EXPECT_EQ(facts["recording"], "x");
  EXPECT_EQ(facts["sample_rate_hz"], "100");
  EXPECT_NE(facts["beatscan_version"], "");
}

TEST_F(ParquetFile, TheSameTableGivesTheSameBytes) {
  EXPECT_EQ(parquet_bytes(beats_table(ranked_result())), parquet_bytes(beats_table(ranked_result())));
}

// All readers refuse a file whose texts are not UTF-8.
TEST_F(ParquetFile, BytesThatAreNotUtf8AreReplaced) {
  TableMaker make(3);
  const std::vector<std::string> names = {"ok", "Kan\xc3\xa4le", "Kan\xe4le"};
  make.texts("name", [&](auto row) { return names[row]; });
  EXPECT_EQ(csv_text(read_back(make.take())), "name\nok\nKan\xc3\xa4le\nKan\xef\xbf\xbdle\n");
}

TEST_F(ParquetFile, ATableWithoutRowsKeepsItsColumns) {
  TableMaker make(0);
  make.seconds("time_s", [](auto) { return 1.0; });
  make.words("beat_class", {"N"}, [](auto) { return 0; });
  const Table back = read_back(make.take());
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(csv_text(back), "time_s,beat_class\n");
}

TEST_F(ParquetFile, ADamagedFileIsRefused) {
  const std::string whole = parquet_bytes(beats_table(ranked_result()));
  for (const std::string& bytes :
       {std::string(), std::string("PAR1"), whole.substr(0, whole.size() / 2), whole.substr(1), "x" + whole + "x"})
    expect_error(ErrorKind::input, "t.parquet: is not a Parquet file of a result, or is damaged",
                 [&] { read_parquet(folder_.write("t.parquet", bytes)); });
  // Changed bytes, anywhere in the file, cause a refusal or other values, and nothing worse.
  for (std::size_t at = 0; at < whole.size(); at += 37) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    try {
      read_parquet(folder_.write("t.parquet", bytes));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    }
  }
}

TEST_F(ParquetFile, BeatsAreReadFromItWhereItIsAlone) {
  const Table beats = beats_table(ranked_result());
  EXPECT_FALSE(has_beats(folder_.path()));
  folder_.write("beats.parquet", parquet_bytes(beats));
  EXPECT_TRUE(has_beats(folder_.path()));
  EXPECT_EQ(beats_file(folder_.path()).filename(), "beats.parquet");
  const std::string text = beats_text(folder_.path());
  EXPECT_EQ(text.substr(0, text.find('\n')), csv_text(beats).substr(0, csv_text(beats).find('\n')));
  folder_.write("beats.csv", "a\n");
  EXPECT_EQ(beats_text(folder_.path()), "a\n");
}

}  // namespace
}  // namespace beatscan
