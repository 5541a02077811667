// app/common/small_csv.h — CSV files that easily fit in memory: truth files and beats.csv. Recordings are
// read by stages/io.
//
// Cells are separated by commas and have no quotes. There is a header; lines end with LF or CRLF. Empty lines at the
// end are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// Throws ErrorKind::input with "<file>:<line>: <what>". The header is line 1.
[[noreturn]] void fail_at_line(const std::filesystem::path& path, std::int64_t line, const std::string& what);

// Parses the whole cell as a number; nullopt if it is not one. Doubles are finite.
std::optional<std::int64_t> parse_int64(std::string_view cell);
std::optional<double> parse_double(std::string_view cell);

// Splits a line at each delimiter. Quotes have no special meaning, and blanks stay in the cells. There is always one
// cell.
void split_line(std::string_view line, char delimiter, std::vector<std::string_view>& cells);

// Removes the first line from `rest` and returns it without its line ending.
std::string_view take_line(std::string_view& rest);

// Returns a cell for an error message: in quotes, cut if it is long, with unprintable bytes replaced.
std::string quoted(std::string_view cell);

// Calls row(cells, line) for every row. `cells` are those of `columns` in that order, wherever they are in the file,
// and then those of `optional_columns`, which are empty if there is no such column. Throws ErrorKind::input for a
// missing column, or a row with more or fewer cells than the header.
using RowFunction = std::function<void(std::span<const std::string_view> cells, std::int64_t line)>;
void for_each_row(const std::filesystem::path& path, std::span<const std::string_view> columns, const RowFunction& row,
                  std::span<const std::string_view> optional_columns = {});

// Does the same with a text that was read already; `path` names it in errors.
void for_each_row_of(std::string_view text, const std::filesystem::path& path,
                     std::span<const std::string_view> columns, const RowFunction& row,
                     std::span<const std::string_view> optional_columns = {});

}  // namespace beatscan
