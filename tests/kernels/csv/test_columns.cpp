#include "kernels/csv/columns.h"

#include <random>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/csv_parse.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

CsvColumns layout_of(std::vector<int> positions, int columns, char delimiter = ',') {
  CsvColumns layout{.delimiter = delimiter, .columns = columns};
  for (const int position : positions) layout.position[layout.count++] = position;
  return layout;
}

struct ReadColumns {
  std::vector<std::vector<float>> values;
  std::vector<CsvFindings> findings;
};

template <class Context>
class CsvColumnsTest : public OnBackend<Context> {
 protected:
  ReadColumns read(const std::string& text, const CsvColumns& columns, std::int64_t first_row = 0) {
    auto& context = this->context();
    const auto on_context = text_on(context, text);
    Buffer<std::uint32_t, Context> row_ends(context, count_line_ends(text) + 1);
    find_row_ends(context, on_context, row_ends);
    std::vector<Buffer<float, Context>> values;
    std::vector<std::span<float>> spans;
    for (int i = 0; i < columns.count; ++i) values.emplace_back(context, row_ends.size());
    for (auto& column : values) spans.push_back(column.span());
    auto findings = from_host(context, std::vector<CsvFindings>(static_cast<std::size_t>(columns.count)));
    parse_columns(context, on_context, row_ends, columns, first_row, spans, findings);
    ReadColumns found{{}, to_host(context, findings)};
    for (const auto& column : values) found.values.push_back(to_host(context, column));
    return found;
  }

  // Each column has the bits and the findings that parse_column gives for it alone.
  void expect_as_alone(const std::string& text, const CsvColumns& columns) {
    const ReadColumns together = read(text, columns);
    for (int i = 0; i < columns.count; ++i) {
      SCOPED_TRACE(testing::Message() << "column " << columns.position[i]);
      const auto alone =
          parsed_column(this->context(), text, {columns.delimiter, columns.position[i], columns.columns});
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(bits_of(together.values[at]), bits_of(alone.values));
      EXPECT_EQ(together.findings[at].missing, alone.findings.missing);
      EXPECT_EQ(together.findings[at].bad, alone.findings.bad);
      EXPECT_EQ(together.findings[at].first_bad_row, alone.findings.first_bad_row);
    }
  }
};
TYPED_TEST_SUITE(CsvColumnsTest, Backends, BackendNames);

TYPED_TEST(CsvColumnsTest, WorkedByHand) {
  const auto found = this->read("1,a,2\n,b,3\n4,c,x\n5,d\n6,\"e,e\",\" 7 \"", layout_of({2, 0}, 3), 100);
  EXPECT_EQ(bits_of(found.values[0]),
            bits_of({2, 3, bad_value(RowFault::not_a_number), bad_value(RowFault::too_few_cells), 7}));
  EXPECT_EQ(bits_of(found.values[1]), bits_of({1, NAN, 4, bad_value(RowFault::too_few_cells), 6}));
  EXPECT_EQ(found.findings[0].bad, 2);
  EXPECT_EQ(found.findings[0].first_bad_row, 102);
  EXPECT_EQ(found.findings[0].missing, 0);
  EXPECT_EQ(found.findings[1].bad, 1) << "the cell that is no number is in the other column";
  EXPECT_EQ(found.findings[1].first_bad_row, 103);
  EXPECT_EQ(found.findings[1].missing, 1);
}

TYPED_TEST(CsvColumnsTest, EveryFaultOfARowIsInEveryColumn) {
  for (const char* bad : {"1", "1,2,3", "", ",,", "\"1,2", "1,\"2", "1,\"2\",", "1,2\""}) {
    SCOPED_TRACE(bad);
    const auto found = this->read(std::string("1,2\n") + bad + "\n3,4", layout_of({0, 1}, 2));
    for (const auto& column : found.findings) {
      EXPECT_EQ(column.bad, 1);
      EXPECT_EQ(column.first_bad_row, 1);
    }
  }
}

TYPED_TEST(CsvColumnsTest, OneColumnAndAllThatThereMayBe) {
  this->expect_as_alone("1;x\n2;y", layout_of({0}, 2, ';'));
  std::vector<int> all;
  std::string row;
  for (int i = 0; i < kMostColumns; ++i) {
    all.push_back(kMostColumns - 1 - i);
    row += (i ? "," : "") + std::to_string(i);
  }
  this->expect_as_alone(row + "\n" + row + ",\n" + row, layout_of(all, kMostColumns));
}

TYPED_TEST(CsvColumnsTest, RowsAroundAWarpAndABlock) {
  for (const int rows : {1, 2, 31, 32, 33, 255, 256, 257, 4095, 4096, 4097}) {
    std::string text;
    for (int row = 0; row < rows; ++row)
      text += (row ? "\n" : "") + std::to_string(row) + (row % 7 ? ",1" : ",") + (row % 11 ? ",-2" : ",x");
    SCOPED_TRACE(rows);
    this->expect_as_alone(text, layout_of({0, 1, 2}, 3));
  }
}

TYPED_TEST(CsvColumnsTest, MatchesOneColumnOnRandomTexts) {
  constexpr std::string_view kAlphabet = "0123456789012345..--+eE,,,,,,,,\"\" \r\tnaNA\n\n\n\n";
  for (const std::int64_t size : {0, 1, 33, 257, 8193, 50'000})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      if (left_out()) continue;
      SCOPED_TRACE(shape_and_seed("size", size, seed));
      std::mt19937_64 random(seed * 1'000'003 + static_cast<std::uint64_t>(size));
      std::string text(static_cast<std::size_t>(size), ' ');
      for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
      this->expect_as_alone(text, layout_of({0, 1}, 2));
      this->expect_as_alone(text, layout_of({2, 0}, 3));
    }
}

TYPED_TEST(CsvColumnsTest, RefusesBadShapes) {
  auto& context = this->context();
  const auto text = text_on(context, "1,2\n3,4");
  Buffer<std::uint32_t, TypeParam> row_ends(context, 2);
  find_row_ends(context, text, row_ends);
  Buffer<float, TypeParam> values(context, 3);
  auto findings = from_host(context, std::vector<CsvFindings>(2));
  const auto refused = [&](const char* part, const CsvColumns& columns, std::vector<std::span<float>> targets,
                           std::size_t found = 1) {
    expect_error(ErrorKind::internal, part,
                 [&] { parse_columns(context, text, row_ends, columns, 0, targets, findings.span().first(found)); });
  };
  const auto two = values.span().first(2);
  refused("no columns", layout_of({}, 2), {});
  refused("values is not [L]", layout_of({0}, 2), {});
  refused("findings is not [L]", layout_of({0}, 2), {two}, 2);
  refused("values and row_ends", layout_of({0}, 2), {values.span()});
  refused("a column that no row has", layout_of({2}, 2), {two});
  EXPECT_NO_THROW(parse_columns(context, text, row_ends.span().first(0), layout_of({0}, 2), 0,
                                std::vector<std::span<float>>{values.span().first(0)}, findings.span().first(1)));
}

}  // namespace
}  // namespace beatscan
