// Reads tables in which a dash stands for a missing sample, as PhysioNet exports them: all names are in single quotes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stages/io/csv/ingest.h"
#include "stages/io/csv/row_edits.h"
#include "tests/fuzz/csv_check.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class CsvDashes : public testing::Test {
 protected:
  CsvHeader header(const std::string& text, const CsvOptions& options = {}) {
    return read_csv_header(InputFile(folder_.write("x.csv", text)), options);
  }
  Recording<Cpu> read(const std::string& text, const IngestOptions& options = {}) {
    return ingest(cpu_, InputFile(folder_.write("x.csv", text)), options);
  }
  TemporaryFolder folder_;
  Cpu cpu_{2};
};

std::string without_dashes(std::string rows, char delimiter = ',') {
  blank_out_dashes(rows, delimiter);
  return rows;
}

TEST(BlankOutDashes, TakesCellsThatAreADash) {
  EXPECT_EQ(without_dashes("-"), " ");
  EXPECT_EQ(without_dashes("-,1,-"), " ,1, ");
  EXPECT_EQ(without_dashes("-\n-\r\n1,-\n-,2\n-"), " \n \r\n1, \n ,2\n ");
  EXPECT_EQ(without_dashes("-;-;-", ';'), " ; ; ");
  EXPECT_EQ(without_dashes("-1,1e-5,--,- ,1-,\"-\""), "-1,1e-5,--,- ,1-,\"-\"");
  EXPECT_EQ(without_dashes(""), "");
}

TEST_F(CsvDashes, AtTheStartOfTheTableAreNoText) {
  std::string text = "'Elapsed time','sensor'\n";
  for (int row = 0; row < 100; ++row)
    text += std::to_string(row * 0.004) + (row < 64 ? ",-\n" : "," + std::to_string(row % 7) + "\n");
  EXPECT_EQ(header(text).leads, std::vector{1});
  const auto recording = read(text);
  EXPECT_EQ(recording.samples(), 100);
  EXPECT_EQ(recording.leads.front().missing, 64);
}

TEST_F(CsvDashes, AreReadWithDecimalCommas) {
  const auto recording = read("'II';'V5'\n0,5;1,5\n-;2,5\n1,5;-\n-1,5;3,5\n");
  ASSERT_EQ(recording.leads.size(), 2u);
  EXPECT_EQ(recording.leads[0].missing, 1);
  EXPECT_EQ(recording.leads[1].missing, 1);
  EXPECT_EQ(to_host(cpu_, recording.leads[0].samples), (std::vector{0.5f, 1.f, 1.5f, -1.5f}));
}

TEST_F(CsvDashes, BetweenBlanksAreMissingSamplesToo) {
  EXPECT_TRUE(header("'a'\t'II'\n0\t1\n-\t2\n").edits.dashes);
  const auto recording = read("a II\n0 1\n1 -\n2 3\n", {});
  EXPECT_EQ(recording.leads[0].missing, 1);
}

// A chunk may begin or end with a dash, or within the row of one.
TEST_F(CsvDashes, AreFoundInChunksOfAnySize) {
  const std::string rows = "-,5\n-1,-\n-,-\r\n1e-3,-7\n-,12345678\n3,-";
  const std::vector<float> first{-1, 1e-3f, 3}, second{5, -7, 12345678};
  for (const char* end : {"", "\n", "\r\n\n"})
    for (std::int64_t bytes = 22; bytes <= 60; ++bytes) {
      SCOPED_TRACE(bytes);
      const auto recording = read("'I','II'\n" + rows + end, {.time_column = "-", .chunk_bytes = bytes});
      ASSERT_EQ(recording.leads.size(), 2u);
      EXPECT_EQ(recording.samples(), 6);
      EXPECT_EQ(recording.leads[0].missing, 3);
      EXPECT_EQ(recording.leads[1].missing, 3);
      const auto values = to_host(cpu_, recording.leads[0].samples), others = to_host(cpu_, recording.leads[1].samples);
      EXPECT_EQ((std::vector{values[1], values[3], values[5]}), first);
      EXPECT_EQ((std::vector{others[0], others[3], others[4]}), second);
    }
}

// The plain reader of the fuzz tests takes them for missing, too.
TEST_F(CsvDashes, AreReadAsThePlainReaderReadsThem) {
  for (const char* text :
       {"'t','II'\n0,1\n1,-\n-,3\n2,5\n", "'II'\n-\n1\n-\n2\n-\n", "'I';'II'\n0,5;1,5\n-;-\n1,5;2\n"})
    EXPECT_NO_THROW(fuzz::check_csv(cpu_, text)) << text;
}

}  // namespace
}  // namespace beatscan
