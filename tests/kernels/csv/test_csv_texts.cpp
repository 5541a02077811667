// Tests lines of CSV around the borders of the bytes that threads and blocks handle, and random texts.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kernels/csv/csv.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/csv_parse.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

template <class Context>
class CsvTexts : public Csv<Context> {};
TYPED_TEST_SUITE(CsvTexts, Backends, BackendNames);

// A thread of the CPU searches at least 8 MiB, so in texts of 24 MiB and more 8 and 16 MiB are borders.
TEST(CsvTextsOnCpu, LinesMayEndAnywhereAroundTheBordersOfThreads) {
  constexpr std::size_t kTile = 8 << 20;
  Cpu cpu(3);
  for (const std::size_t size : {2 * kTile - 1, 2 * kTile, 3 * kTile + 5, 4 * kTile + 1}) {
    SCOPED_TRACE(shape_and_seed("size", size, 1));
    std::mt19937_64 random(1);
    std::string text(size, '4');
    for (std::size_t i = 0; i < size; i += 1 + random() % 20'000) text[i] = '\n';
    for (std::size_t border = kTile; border < size; border += kTile)
      for (std::size_t i = border - 70; i < std::min(border + 70, size); ++i)
        if (random() % 2) text[i] = '\n';
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < size; ++i)
      if (text[i] == '\n') expected.push_back(static_cast<std::uint32_t>(i));
    expected.push_back(static_cast<std::uint32_t>(size));
    EXPECT_EQ(count_line_ends(text) + 1, std::ssize(expected));
    std::vector<std::uint32_t> row_ends(expected.size());
    find_row_ends(cpu, text, row_ends);
    EXPECT_TRUE(row_ends == expected);
    for (const std::size_t rows : {std::size_t{1}, expected.size() / 3, expected.size() - 1, expected.size() + 1}) {
      row_ends.assign(rows, 0);
      expect_error(ErrorKind::internal, "row_ends is not [rows]", [&] { find_row_ends(cpu, text, row_ends); });
    }
  }
}

// The last cell ends with the text. AddressSanitizer sees if anything after it is read.
TEST(CsvTextsOnCpu, TheLastCellEndsWithTheText) {
  Cpu cpu(1);
  for (const std::string before : {"", "1\n", "1.5\n-2.25e+00\n3\n", "-3.734923899173736572e-02\n4.0\n"})
    for (int size = 1; size <= 40; ++size)
      for (const std::int64_t point : {-1, 0, 1, 7, 8, 9, 20}) {
        std::string cell(size, '7');
        if (point >= 0 && point < size) cell[point] = '.';
        const std::string whole = before + cell;
        const std::vector<char> text(whole.begin(), whole.end());
        std::vector<std::uint32_t> row_ends(count_line_ends(text) + 1);
        find_row_ends(cpu, text, row_ends);
        std::vector<float> values(row_ends.size());
        CsvFindings findings;
        parse_column(cpu, text, row_ends, {}, 0, values, {&findings, 1});
        EXPECT_EQ(bits_of(values), expected_parse(whole, {}).value_bits) << whole;
      }
}

// A Cuda thread handles twice 16 bytes and a block 8,192. The CPU handles 64 bytes at a time.
// Rows of up to eight characters are parsed at once where they are plain numbers.
TEST(CsvTextsOnCpu, ShortRowsAreThoseOfSingleCells) {
  const std::string characters = "0123456789.-+e ,\"\r";
  std::mt19937_64 random(7);
  std::vector<std::string> rows{"",         ".",    "-",        "-.",       "-0",       "-0.",      "-.0",
                                ".5",       "5.",   "16777216", "16777217", "1.677721", "99999999", "-1234567",
                                "-0.00001", "1..2", "1.2.3",    "--1",      "1-",       "1.5\r",    "9.999999"};
  for (int i = 0; i < 100'000; ++i) {
    std::string row(1 + random() % 9, '0');
    for (char& c : row) c = characters[random() % (random() % 4 ? 11 : characters.size())];
    if (random() % 3 == 0) row[0] = '-';
    rows.push_back(row);
  }
  std::string text;
  for (const auto& row : rows) text += row + '\n';
  text.pop_back();
  Cpu cpu(1);
  std::vector<std::uint32_t> row_ends(rows.size());
  find_row_ends(cpu, text, row_ends);
  std::vector<float> values(rows.size());
  CsvFindings findings;
  parse_column(cpu, text, row_ends, {}, 0, values, {&findings, 1});
  EXPECT_EQ(bits_of(values), expected_parse(text, {}).value_bits);
}

TYPED_TEST(CsvTexts, LinesMayEndAnywhereAroundTileBorders) {
  for (const std::int64_t tile : {16, 32, 64, 8192, 2 * 8192})
    for (std::int64_t end = std::max<std::int64_t>(tile - 34, 1); end <= tile + 34; ++end) {
      if (left_out()) continue;
      SCOPED_TRACE(shape_and_seed("end", end, 0));
      const auto position = static_cast<std::uint32_t>(end);
      EXPECT_EQ(this->parse(std::string(end - 1, ' ') + "7\n5"), parsed({position, position + 2}, {7, 5}));
      EXPECT_EQ(this->parse("7" + std::string(end - 1, ' ') + "\n"), parsed({position, position + 1}, {7, NAN}, 1));
    }
}

TYPED_TEST(CsvTexts, DenseLinesAroundTileBorders) {
  for (const std::int64_t tile : {32, 64, 8192, 3 * 8192})
    for (std::int64_t size = tile - 3; size <= tile + 3; ++size) {
      SCOPED_TRACE(shape_and_seed("size", size, 0));
      const std::string line_ends(size, '\n');
      EXPECT_EQ(this->parse(line_ends), expected_parse(line_ends, {}));
      std::string digits(size, '8');
      for (std::int64_t i = 1; i < size; i += 2) digits[i] = '\n';
      EXPECT_EQ(this->parse(digits), expected_parse(digits, {}));
    }
}

TYPED_TEST(CsvTexts, ALineLongerThanTiles) {
  std::string text = "1\n" + std::string(600'000, ' ') + "2" + std::string(600'000, '\t') + "\n3";
  EXPECT_EQ(this->parse(text), expected_parse(text, {}));
}

// Texts are any sequences of the characters that have a meaning, in lines of a few cells.
TYPED_TEST(CsvTexts, MatchesDefinitionOnRandomTexts) {
  constexpr std::string_view kAlphabet =
      "0123456789012345678901234567890123456789..--+eE,,,\"\" \r\tnaNA\n\n\n\n\n\n\n\n\n";
  for (const std::int64_t size : {1, 2, 31, 32, 33, 255, 256, 257, 8191, 8192, 8193, 100'000})
    for (std::uint64_t seed = 0; seed < (size > 10'000 ? 2 : 12); ++seed) {
      if (left_out()) continue;
      SCOPED_TRACE(shape_and_seed("size", size, seed));
      std::mt19937_64 random(seed * 1'000'003 + size);
      std::string text(size, ' ');
      for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
      for (const CsvLayout layout :
           {CsvLayout{',', 0, 1}, CsvLayout{',', 0, 2}, CsvLayout{',', 1, 2}, CsvLayout{'.', 2, 3}})
        EXPECT_EQ(this->parse(text, layout), expected_parse(text, layout)) << layout.column << " of " << layout.columns;
    }
}

// Well-formed rows with missing values, over several CPU ranges (4,096 rows) and Cuda blocks (256 rows).
TYPED_TEST(CsvTexts, CountsMissingValuesAndFindsTheFirstBadRowOfMany) {
  for (const std::int64_t rows : {1, 255, 256, 257, 4095, 4096, 4097, 50'000})
    for (const int bad_rows : {0, 1, 40}) {
      const std::uint64_t seed = rows + bad_rows;
      SCOPED_TRACE(shape_and_seed("rows", rows, seed));
      std::mt19937_64 random(seed);
      std::vector<std::string> lines(rows);
      for (auto& line : lines)
        line = random() % 5 ? std::to_string(random() % 100'000) + ".5" : random() % 2 ? "NA" : "";
      for (int i = 0; i < bad_rows; ++i) lines[random() % rows] = i % 2 ? "1e99" : "bad";
      std::string text;
      for (const auto& line : lines) text += (&line == &lines[0] ? "" : "\n") + line;
      EXPECT_EQ(this->parse(text), expected_parse(text, {}));
    }
}

// Property: a text is parsed as its parts are, split at any line end.
TYPED_TEST(CsvTexts, PartsMakeTheWhole) {
  std::mt19937_64 random(8);
  std::string text = "0";
  for (int i = 1; i < 3000; ++i) text += "\n" + std::to_string(random() % 1000) + "," + (random() % 9 ? "7" : "");
  const CsvLayout layout{',', 1, 2};
  const Parsed whole = this->parse(text, layout);
  for (const std::size_t row : {0, 1, 255, 256, 1500, 2998}) {
    const std::size_t split = whole.row_ends[row];
    const Parsed first = this->parse(text.substr(0, split), layout),
                 second = this->parse(text.substr(split + 1), layout);
    auto joined = first.value_bits;
    joined.insert(joined.end(), second.value_bits.begin(), second.value_bits.end());
    EXPECT_EQ(joined, whole.value_bits);
    EXPECT_EQ(first.missing + second.missing, whole.missing);
    EXPECT_EQ(first.row_ends, std::vector<std::uint32_t>(whole.row_ends.begin(), whole.row_ends.begin() + row + 1));
  }
}

}  // namespace
}  // namespace beatscan
