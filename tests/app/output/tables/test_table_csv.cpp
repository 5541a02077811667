#include "app/output/tables/table_csv.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <random>

#include "app/output/tables/table.h"
#include "kernels/machine/host_threads.h"

namespace beatscan {
namespace {

Table small_table() {
  const std::vector<std::string> texts = {"plain", "a,\"b\"", "", "=1+1"};
  TableMaker make(4);
  make.integers("whole", "samples", [](auto row) { return row == 1 ? std::nullopt : std::optional(row - 1); });
  make.floats("real", "", [](auto row) { return row == 2 ? std::nanf("") : 0.1f * static_cast<float>(row); });
  make.doubles("long", "", [](auto row) { return row == 3 ? std::nullopt : std::optional(0.1 * row); });
  make.flags("flag", [](auto row) { return row == 0 ? std::nullopt : std::optional(row == 2); });
  make.seconds("time_s", [](auto row) { return row == 0 ? std::nullopt : std::optional(-1.5 + row / 128.0); });
  make.words("word", {"N", "V"}, [](auto row) { return row == 3 ? kNoWord : static_cast<std::int32_t>(row % 2); });
  make.texts("text", [&](auto row) { return texts[row]; });
  return make.take();
}

TEST(TableCsv, AnEmptyCellIsNoValue) {
  EXPECT_EQ(csv_text(small_table()),
            "whole,real,long,flag,time_s,word,text\n"
            "-1,0,0,,,N,plain\n"
            ",0.1,0.1,0,-1.492188,V,\"a,\"\"b\"\"\"\n"
            "1,,0.2,1,-1.484375,N,\n"
            "2,0.3,,0,-1.476562,,'=1+1\n");
}

// pandas and polars refuse a whole table because of one file name in Latin-1.
TEST(TableCsv, TextsAreUtf8) {
  TableMaker make(2);
  make.texts("a", [](auto row) { return std::string(row == 0 ? "caf\xe9.csv" : "caf\u00e9.csv"); });
  EXPECT_EQ(csv_text(make.take()), "a\ncaf\ufffd.csv\ncaf\u00e9.csv\n");
}

TEST(TableCsv, ATableWithoutRowsIsAHeader) {
  TableMaker make(0);
  make.texts("a", [](auto) { return std::string(); });
  make.flags("b", [](auto) { return true; });
  EXPECT_EQ(csv_text(make.take()), "a,b\n");
}

TEST(TableCsv, RowsAndCellsMayBeLong) {
  TableMaker some(4);
  some.texts("text", [](auto i) { return std::string(398 + i, 'z'); });
  some.texts("more", [](auto i) { return std::string(402 - i, 'z'); });
  std::string lines = "text,more\n";
  for (int i = 0; i < 4; ++i) lines += std::string(398 + i, 'z') + "," + std::string(402 - i, 'z') + "\n";
  EXPECT_EQ(csv_text(some.take()), lines);

  const std::string longest(5000, 'x'), quoted = std::string(700, '"') + "," + std::string(700, 'y');
  TableMaker make(2);
  std::string header, row;
  for (int column = 0; column < 300; ++column) {
    const std::string name = "number " + std::to_string(column);
    make.doubles(name, "", [=](auto i) { return std::optional(-1.5 * column * static_cast<double>(i + 1)); });
    header += name + ",";
  }
  make.texts("long", [&](auto i) { return i == 0 ? longest : quoted; });
  const std::string text = csv_text(make.take());
  ASSERT_EQ(text.substr(0, header.size() + 5), header + "long\n");
  std::string expected = header + "long\n";
  for (const int i : {1, 2}) {
    for (int column = 0; column < 300; ++column) {
      char digits[64];
      expected.append(digits, std::to_chars(digits, digits + 64, -1.5 * column * i).ptr);
      expected += ',';
    }
    expected += i == 1 ? longest : '"' + std::string(1400, '"') + "," + std::string(700, 'y') + '"';
    expected += '\n';
  }
  EXPECT_EQ(text, expected);
}

// On any number of threads.
TEST(TableCsv, RowsOfAnyNumberAreInOrder) {
  for (const std::int64_t rows : {1, 255, 256, 257, 1023, 1024, 1025, 5000}) {
    SCOPED_TRACE(rows);
    const auto text_of_row = [](auto row) { return std::string(row % 50, 'x') + (row % 3 == 0 ? ",\"" : ""); };
    TableMaker make(rows);
    make.integers("row", "", [](auto row) { return row % 7 == 0 ? std::nullopt : std::optional(row); });
    make.texts("text", text_of_row);
    make.words("word", {"", "=a", "a,b", std::string(40, 'w')}, [](auto row) { return row % 5 - 1; });
    std::string expected = "row,text,word\n";
    for (std::int64_t row = 0; row < rows; ++row) {
      Row line(expected);
      row % 7 == 0 ? line.empty() : line.number(row);
      line.words(text_of_row(row));
      line.words(std::array{"", "", "=a", "a,b", "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"}[row % 5]);
    }
    const Table table = make.take();
    EXPECT_TRUE(csv_text(table) == expected);
    const Share one = 1;
    const ShareOfThisThread share(&one);
    EXPECT_TRUE(csv_text(table) == expected);
  }
}

// Times used to be written as doubles with six decimals, before they became whole microseconds: the text must not
// differ.
TEST(TableCsv, TimesAreRoundedAsByToChars) {
  std::mt19937_64 random(7);
  for (const double rate_hz : {100.0, 128.0, 250.0, 257.0, 333.3, 360.0, 1000.0}) {
    TableMaker make(2000);
    std::vector<double> times(2000);
    for (auto& time : times) time = static_cast<double>(random() % 100'000'000) / rate_hz;
    make.seconds("t", [&](auto row) { return times[row]; });
    std::string expected = "t\n";
    for (const double time : times) {
      char digits[64];
      expected.append(digits, std::to_chars(digits, digits + 64, time, std::chars_format::fixed, 6).ptr);
      expected += '\n';
    }
    EXPECT_EQ(csv_text(make.take()), expected) << rate_hz;
  }
}

// A spreadsheet interprets a cell with such a start as a formula, even in quotes.
TEST(CsvRow, WhatASpreadsheetWouldReckonIsAText) {
  const auto cell_of = [](std::string_view value) {
    std::string text;
    Row(text).words(value);
    return text.substr(0, text.size() - 1);
  };
  EXPECT_EQ(cell_of("=1+1"), "'=1+1");
  EXPECT_EQ(cell_of("+1"), "'+1");
  EXPECT_EQ(cell_of("-1"), "'-1");
  EXPECT_EQ(cell_of("@x"), "'@x");
  EXPECT_EQ(cell_of("\tx"), "'\tx");
  EXPECT_EQ(cell_of("=HYPERLINK(\"a\",\"b\")"), "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"");
  EXPECT_EQ(cell_of("-"), "-") << "standard input";
  EXPECT_EQ(cell_of("a=1"), "a=1");
  EXPECT_EQ(cell_of(""), "");
}

}  // namespace
}  // namespace beatscan
