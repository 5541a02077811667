#include "kernels/csv.h"

#include <algorithm>
#include <bit>
#include <ostream>

#include "tests/backends.h"
#include "tests/decimal_oracle.h"
#include "tests/test_stride.h"

namespace beatscan {
namespace {

constexpr std::int64_t kNone = CsvFindings::kNone;

struct Parsed {
  std::vector<std::uint32_t> row_ends;
  std::vector<std::uint32_t> value_bits;
  std::int64_t missing = 0;
  std::vector<std::int64_t> bad_rows;
  bool operator==(const Parsed&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Parsed& parsed) {
  const auto [row_ends, value_bits, missing, bad_rows] = parsed;
  out << row_ends.size() << " rows that end at";
  for (std::size_t row = 0; row < std::min<std::size_t>(row_ends.size(), 20); ++row)
    out << ' ' << row_ends[row] << " (" << std::bit_cast<float>(value_bits[row]) << ')';
  return out << "; " << missing << " missing, bad rows " << testing::PrintToString(bad_rows);
}

// Character by character; nothing where a quote is left open.
std::vector<std::string> cells_of(const std::string& row, char delimiter) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : row) {
    if (c == '"') quoted = !quoted;
    if (c == delimiter && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return quoted ? std::vector<std::string>{} : cells;
}

Parsed expected_parse(const std::string& text, CsvLayout layout) {
  Parsed expected;
  std::string row;
  std::vector<float> values;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '\n') {
      row += text[i];
      continue;
    }
    expected.row_ends.push_back(static_cast<std::uint32_t>(i));
    const auto cells = cells_of(row, layout.delimiter);
    const bool whole = std::ssize(cells) == layout.columns;
    const Cell cell = whole ? expected_cell(cells[layout.column]) : Cell{CellKind::bad, NAN};
    values.push_back(cell.value);
    expected.missing += cell.kind == CellKind::missing;
    const bool good = cell.kind == CellKind::number || cell.kind == CellKind::missing;
    if (!good) expected.bad_rows.push_back(std::ssize(values) - 1);
    row.clear();
  }
  expected.value_bits = bits_of(values);
  return expected;
}

template <class Context>
class Csv : public OnBackend<Context> {
 protected:
  Parsed parse(const std::string& text, CsvLayout layout = {}) {
    auto& context = this->context();
    const auto device_text = from_host(context, std::vector<char>(text.begin(), text.end()));
    const std::int64_t rows = count_line_ends(text) + 1;
    Buffer<std::uint32_t, Context> row_ends(context, rows);
    find_row_ends(context, device_text, row_ends);
    Buffer<float, Context> values(context, rows);
    auto findings = from_host(context, std::vector<CsvFindings>(1));
    parse_column(context, device_text, row_ends, layout, 0, values, findings);
    const CsvFindings found = to_host(context, findings)[0];
    Parsed result{to_host(context, row_ends), {}, found.missing, {}};
    const auto on_host = to_host(context, values);
    result.value_bits = bits_of(on_host);
    for (std::int64_t row = 0; row < rows; ++row)
      if (fault_of(on_host[row]) != RowFault::none) result.bad_rows.push_back(row);
    EXPECT_EQ(found.bad, std::ssize(result.bad_rows));
    EXPECT_EQ(found.first_bad_row, result.bad_rows.empty() ? kNone : result.bad_rows[0]);
    return result;
  }
};
TYPED_TEST_SUITE(Csv, Backends, BackendNames);

Parsed parsed(std::vector<std::uint32_t> row_ends, const std::vector<float>& values, std::int64_t missing = 0,
              std::vector<std::int64_t> bad_rows = {}) {
  return {std::move(row_ends), bits_of(values), missing, std::move(bad_rows)};
}

TYPED_TEST(Csv, OneColumnWorkedByHand) {
  EXPECT_EQ(this->parse("1.5\n-2\n3e2"), parsed({3, 6, 10}, {1.5f, -2, 300}));
  EXPECT_EQ(this->parse("1\r\n2\r\n3\r"), parsed({2, 5, 8}, {1, 2, 3})) << "a CR before the line end is a blank";
  EXPECT_EQ(this->parse("1\n\n \nNaN\n2"), parsed({1, 2, 4, 8, 10}, {1, NAN, NAN, NAN, 2}, 3))
      << "blank lines are rows";
  EXPECT_EQ(this->parse("\"1\"\n\" 2 \"\n\"\""), parsed({3, 9, 12}, {1, 2, NAN}, 1));
  EXPECT_EQ(this->parse("1\n2x\n3\nx"), parsed({1, 4, 6, 8}, {1, NAN, 3, NAN}, 0, {1, 3}));
  EXPECT_EQ(this->parse("1\n2\n1e39"), parsed({1, 3, 8}, {1, 2, NAN}, 0, {2})) << "out of range";
  EXPECT_EQ(this->parse("1,2\n3"), parsed({3, 5}, {NAN, 3}, 0, {0})) << "two cells where one is";
}

TYPED_TEST(Csv, EmptyTextIsOneEmptyRow) {
  EXPECT_EQ(this->parse(""), parsed({0}, {NAN}, 1));
  EXPECT_EQ(this->parse("\n"), parsed({0, 1}, {NAN, NAN}, 2));
  EXPECT_EQ(this->parse("", {',', 0, 2}), parsed({0}, {NAN}, 0, {0})) << "an empty row has one cell, not two";
}

TYPED_TEST(Csv, ColumnsWorkedByHand) {
  const std::string text = "a,1,x\n\"b,c\",2,\n ,\" 3 \",\"\"\n,,\nd, NA ,e";
  EXPECT_EQ(this->parse(text, {',', 1, 3}), parsed({5, 14, 25, 28, 37}, {1, 2, 3, NAN, NAN}, 2));
  EXPECT_EQ(this->parse("1;2\n3;4", {';', 0, 2}), parsed({3, 7}, {1, 3}));
  EXPECT_EQ(this->parse("1;2,5\n3;4", {';', 1, 2}), parsed({5, 9}, {NAN, 4}, 0, {0})) << "no decimal commas";
  EXPECT_EQ(this->parse("1\t2\r\n3\t4\r", {'\t', 1, 2}), parsed({4, 9}, {2, 4}));
  EXPECT_EQ(this->parse("x,\"1,5\"", {',', 1, 2}), parsed({7}, {NAN}, 0, {0}));
}

TYPED_TEST(Csv, BadRowsOfColumns) {
  for (const char* bad : {"1", "1,2,3", "", ",,", "\"1,2", "1,\"2", "1,\"2\",", "1,2\"", "1,x", "1,1e99"}) {
    SCOPED_TRACE(bad);
    EXPECT_EQ(this->parse(std::string("1,2\n") + bad + "\n3,4", {',', 1, 2}).bad_rows, std::vector<std::int64_t>{1});
  }
}

// A number that is a NaN of any other bits is not taken for a bad row.
TYPED_TEST(Csv, TheValueOfABadRowSaysWhatIsWrong) {
  auto& context = this->context();
  const std::string text = "1,2\n1,x\n1,1e39\n1\n1,2,3\n1,\"2\n1,NaN\n1,";
  const auto on_context = from_host(context, std::vector<char>(text.begin(), text.end()));
  Buffer<std::uint32_t, TypeParam> row_ends(context, count_line_ends(text) + 1);
  Buffer<float, TypeParam> values(context, row_ends.size());
  auto findings = from_host(context, std::vector<CsvFindings>(1));
  find_row_ends(context, on_context, row_ends);
  parse_column(context, on_context, row_ends, {',', 1, 2}, 0, values, findings);
  std::vector<RowFault> faults;
  for (const float value : to_host(context, values)) faults.push_back(fault_of(value));
  EXPECT_EQ(faults,
            (std::vector{RowFault::none, RowFault::not_a_number, RowFault::out_of_range, RowFault::too_few_cells,
                         RowFault::too_many_cells, RowFault::open_quote, RowFault::none, RowFault::none}));
  const auto found = to_host(context, findings)[0];
  EXPECT_EQ(found.bad, 5);
  EXPECT_EQ(found.missing, 2);
  for (const RowFault fault : {RowFault::not_a_number, RowFault::open_quote})
    EXPECT_TRUE(std::isnan(bad_value(fault)) && fault_of(bad_value(fault)) == fault);
  for (const float value : {1.f, NAN, -NAN, INFINITY, std::bit_cast<float>(0x7fffffffu)})
    EXPECT_EQ(fault_of(value), RowFault::none);
}

TEST(CsvRow, NamesTheFaultAndItsPlace) {
  const auto expect = [](const std::string& row, CsvLayout layout, RowFault fault, const std::string& place,
                         int cells) {
    SCOPED_TRACE(row);
    const ParsedRow parsed = parse_row(row.data(), row.data() + row.size(), layout);
    EXPECT_EQ(parsed.fault, fault);
    EXPECT_EQ(std::string(parsed.first, parsed.last), place);
    EXPECT_EQ(parsed.cells, cells);
  };
  const CsvLayout one, second_of_two{',', 1, 2};
  expect("1.5", one, RowFault::none, "1.5", 1);
  expect("1x5", one, RowFault::not_a_number, "1x5", 1);
  expect("1e39", one, RowFault::out_of_range, "1e39", 1);
  expect("1,2", one, RowFault::too_many_cells, "1,2", 2);
  expect("\"1", one, RowFault::open_quote, "\"1", 1);
  expect("a, 2 ", second_of_two, RowFault::none, " 2 ", 2);
  expect("1,2x", second_of_two, RowFault::not_a_number, "2x", 2);
  expect("1,-1e39", second_of_two, RowFault::out_of_range, "-1e39", 2);
  expect("1", second_of_two, RowFault::too_few_cells, "1", 1);
  expect("", second_of_two, RowFault::too_few_cells, "", 1);
  expect("1,2,", second_of_two, RowFault::too_many_cells, "1,2,", 3);
  expect("1,\"2,3", second_of_two, RowFault::open_quote, "\"2,3", 2);
}

TYPED_TEST(Csv, RefusesBadShapes) {
  auto& context = this->context();
  const auto text = from_host(context, std::vector<char>{'1', '\n', '2'});
  Buffer<std::uint32_t, TypeParam> row_ends(context, 2);
  Buffer<float, TypeParam> values(context, 3);
  expect_error(Status::internal, "row_ends is not [rows]",
               [&] { find_row_ends(context, text, row_ends.span().first(0)); });
  auto findings = from_host(context, std::vector<CsvFindings>(2));
  const auto first = findings.span().first(1);
  const auto two = values.span().first(2);
  expect_error(Status::internal, "values and row_ends",
               [&] { parse_column(context, text, row_ends, {}, 0, values, first); });
  expect_error(Status::internal, "findings is not [1]",
               [&] { parse_column(context, text, row_ends, {}, 0, two, findings); });
  EXPECT_NO_THROW(parse_column(context, text, row_ends.span().first(0), {}, 0, values.span().first(0), first));
}

TEST(CountLineEnds, MatchesStandardCount) {
  std::mt19937 random(3);
  for (const int size : {0, 1, 63, 64, 65, 127, 255 * 64, 255 * 64 + 1, 256 * 64, 100'000}) {
    std::string text(size, '\n');
    EXPECT_EQ(count_line_ends(text), size);
    for (char& c : text) c = static_cast<char>(random() % 3 ? 0x8a : '\n');
    EXPECT_EQ(count_line_ends(text), std::ranges::count(text, '\n')) << size;
  }
}

TYPED_TEST(Csv, FindingsAddUpOverTexts) {
  auto& context = this->context();
  auto findings = from_host(context, std::vector<CsvFindings>(1));
  const auto add = [&](const std::string& text, std::int64_t first_row) {
    const auto on_context = from_host(context, std::vector<char>(text.begin(), text.end()));
    Buffer<std::uint32_t, TypeParam> row_ends(context, count_line_ends(text) + 1);
    Buffer<float, TypeParam> values(context, row_ends.size());
    find_row_ends(context, on_context, row_ends);
    parse_column(context, on_context, row_ends, {}, first_row, values, findings);
    return to_host(context, findings)[0];
  };
  EXPECT_EQ(add("1\n\n3", 5'000'000'000).missing, 1);
  EXPECT_EQ(add("1\n\n3", 5'000'000'003).first_bad_row, kNone);
  EXPECT_EQ(add("NA\nx\ny", 5'000'000'006).first_bad_row, 5'000'000'007);
  const auto found = add("z\nx", 5'000'000'100);
  EXPECT_EQ(found.first_bad_row, 5'000'000'007);
  EXPECT_EQ(found.missing, 3);
  EXPECT_EQ(found.bad, 4);
}

// Only Cpu counts the rows again; Cuda would have to wait for their number.
TEST(CsvOnCpu, RefusesTooFewOrTooManyRowEnds) {
  Cpu cpu(2);
  const std::string text = "1\n2";
  std::vector<std::uint32_t> row_ends(3);
  for (const std::size_t rows : {1, 3})
    expect_error(Status::internal, "row_ends is not [rows]",
                 [&] { find_row_ends(cpu, text, std::span(row_ends).first(rows)); });
}

// The CPU searches 8 MiB a thread at least, so 8 and 16 MiB are borders where there are 24 and more.
TEST(CsvOnCpu, LinesMayEndAnywhereAroundTheBordersOfThreads) {
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
      expect_error(Status::internal, "row_ends is not [rows]", [&] { find_row_ends(cpu, text, row_ends); });
    }
  }
}

// The last cell ends where the text does, with nothing behind it that may be read: AddressSanitizer watches.
TEST(CsvOnCpu, TheLastCellEndsWithTheText) {
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

// A Cuda thread looks at 16 and 16 bytes and a block at 8,192; the CPU looks at 64.
TYPED_TEST(Csv, LinesMayEndAnywhereAroundTileBorders) {
  for (const std::int64_t tile : {16, 32, 64, 8192, 2 * 8192})
    for (std::int64_t end = std::max<std::int64_t>(tile - 34, 1); end <= tile + 34; ++end) {
      if (left_out()) continue;
      SCOPED_TRACE(shape_and_seed("end", end, 0));
      const auto position = static_cast<std::uint32_t>(end);
      EXPECT_EQ(this->parse(std::string(end - 1, ' ') + "7\n5"), parsed({position, position + 2}, {7, 5}));
      EXPECT_EQ(this->parse("7" + std::string(end - 1, ' ') + "\n"), parsed({position, position + 1}, {7, NAN}, 1));
    }
}

TYPED_TEST(Csv, DenseLinesAroundTileBorders) {
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

TYPED_TEST(Csv, ALineLongerThanTiles) {
  std::string text = "1\n" + std::string(600'000, ' ') + "2" + std::string(600'000, '\t') + "\n3";
  EXPECT_EQ(this->parse(text), expected_parse(text, {}));
}

// Any text at all of the characters that mean something, in lines of a few cells.
TYPED_TEST(Csv, MatchesDefinitionOnRandomTexts) {
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
TYPED_TEST(Csv, CountsMissingValuesAndFindsTheFirstBadRowOfMany) {
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
TYPED_TEST(Csv, PartsMakeTheWhole) {
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
