// app/files/small_csv.h — CSV files that fit in memory many times over: truth files and beats.csv. (Recordings are read
// by stages/ingest.) Comma separated, no quotes, a header, LF or CRLF; empty lines at the end are ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace beatscan {

// Throws ErrorKind::input with "<file>:<line>: <what>". The header is line 1.
[[noreturn]] void fail_at_line(const std::filesystem::path& path, std::int64_t line, const std::string& what);

// The whole cell is a number of its kind, or nothing. Doubles are finite.
std::optional<std::int64_t> parse_int64(std::string_view cell);
std::optional<double> parse_double(std::string_view cell);

// A cell for an error message: quoted, cut where it is long, unprintable bytes replaced.
std::string quoted(std::string_view cell);

// Calls row(cells, line) for every row; cells are those of the columns named, in that order, wherever they are in the
// file. A column that is not there, or a row with more or fewer cells than the header, is an error. Behind them come
// the cells of optional columns, empty where there is no such column.
using RowFunction = std::function<void(std::span<const std::string_view> cells, std::int64_t line)>;
void for_each_row(const std::filesystem::path& path, std::span<const std::string_view> columns, const RowFunction& row,
                  std::span<const std::string_view> optional_columns = {});

}  // namespace beatscan
