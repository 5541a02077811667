#include "kernels/csv/csv.h"

#include <algorithm>
#include <bit>

#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/csv_parse.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr std::int64_t kNone = CsvFindings::kNone;

TYPED_TEST_SUITE(Csv, Backends, BackendNames);

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

// A NaN with other bits than those of a bad row does not stand for a bad row.
TYPED_TEST(Csv, TheValueOfABadRowSaysWhatIsWrong) {
  auto& context = this->context();
  const std::string text = "1,2\n1,x\n1,1e39\n1\n1,2,3\n1,\"2\n1,NaN\n1,";
  const auto on_context = text_on(context, text);
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
  const auto text = text_on(context, "1\n2");
  Buffer<std::uint32_t, TypeParam> row_ends(context, 2);
  Buffer<float, TypeParam> values(context, 3);
  expect_error(ErrorKind::internal, "row_ends is not [rows]",
               [&] { find_row_ends(context, text, row_ends.span().first(0)); });
  auto findings = from_host(context, std::vector<CsvFindings>(2));
  const auto first = findings.span().first(1);
  const auto two = values.span().first(2);
  expect_error(ErrorKind::internal, "values and row_ends",
               [&] { parse_column(context, text, row_ends, {}, 0, values, first); });
  expect_error(ErrorKind::internal, "findings is not [1]",
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
    const auto on_context = text_on(context, text);
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

// Only Cpu counts the rows again. Cuda would have to wait for their number.
TEST(CsvOnCpu, RefusesTooFewOrTooManyRowEnds) {
  Cpu cpu(2);
  const std::string text = "1\n2";
  std::vector<std::uint32_t> row_ends(3);
  for (const std::size_t rows : {1, 3})
    expect_error(ErrorKind::internal, "row_ends is not [rows]",
                 [&] { find_row_ends(cpu, text, std::span(row_ends).first(rows)); });
}

}  // namespace
}  // namespace beatscan
