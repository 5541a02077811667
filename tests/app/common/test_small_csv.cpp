#include "app/common/small_csv.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Cells = std::vector<std::vector<std::string>>;

Cells cells_of(const std::filesystem::path& path, const std::vector<std::string_view>& columns,
               const std::vector<std::string_view>& optional_columns) {
  Cells rows;
  const auto add = [&](std::span<const std::string_view> cells, std::int64_t line) {
    EXPECT_EQ(line, std::ssize(rows) + 2);
    rows.emplace_back(cells.begin(), cells.end());
  };
  for_each_row(path, columns, add, optional_columns);
  return rows;
}

TEST(SplitLine, QuotesHaveNoMeaningAndBlanksStay) {
  using Parts = std::vector<std::string_view>;
  Parts cells{"of an earlier line"};
  const auto split = [&](std::string_view line, char delimiter) {
    split_line(line, delimiter, cells);
    return cells;
  };
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split("a", ','), Parts{"a"});
  EXPECT_EQ(split(",a, b,", ','), (Parts{"", "a", " b", ""}));
  EXPECT_EQ(split("\"a,b\";c", ','), (Parts{"\"a", "b\";c"}));
  EXPECT_EQ(split("\"a,b\";c", ';'), (Parts{"\"a,b\"", "c"}));
}

TEST(ForEachRow, OptionalColumnsComeAfterTheOthers) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "a,b,c\n1,2,3\n4,5,\n");
  EXPECT_EQ(cells_of(path, {"c"}, {"a"}), (Cells{{"3", "1"}, {"", "4"}}));
  EXPECT_EQ(cells_of(path, {"b"}, {"none", "c"}), (Cells{{"2", "", "3"}, {"5", "", ""}}));
  EXPECT_EQ(cells_of(path, {}, {"none"}), (Cells{{""}, {""}}));
  EXPECT_EQ(cells_of(path, {"b"}, {}), (Cells{{"2"}, {"5"}}));
  expect_error(ErrorKind::input, "no column 'none'", [&] { cells_of(path, {"none"}, {"c"}); });
}

}  // namespace
}  // namespace beatscan
