#include "app/common/small_csv.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/common/whole_file.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/from_chars.h"

namespace beatscan {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view cell) {
  Number value{};
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = from_chars(cell.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// The index of a column; header.size() if there is no such column.
std::size_t position_of(std::string_view column, const std::vector<std::string_view>& header) {
  return static_cast<std::size_t>(std::ranges::find(header, column) - header.begin());
}

std::vector<std::size_t> positions_of(std::span<const std::string_view> columns,
                                      std::span<const std::string_view> optional_columns,
                                      const std::vector<std::string_view>& header, const std::filesystem::path& path) {
  std::vector<std::size_t> positions;
  for (const auto column : columns) {
    positions.push_back(position_of(column, header));
    if (positions.back() == header.size())
      fail_at_line(path, 1, "the header has no column " + quoted(column) + "; add it to the first line");
  }
  for (const auto column : optional_columns) positions.push_back(position_of(column, header));
  return positions;
}

}  // namespace

void split_line(std::string_view line, char delimiter, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const auto end = line.find(delimiter);
    cells.push_back(line.substr(0, end));
    if (end == line.npos) return;
    line.remove_prefix(end + 1);
  }
}

std::string_view take_line(std::string_view& rest) {
  const auto length = std::min(rest.find('\n'), rest.size());
  auto line = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void fail_at_line(const std::filesystem::path& path, std::int64_t line, const std::string& what) {
  fail(ErrorKind::input, path.string() + ":" + std::to_string(line), what);
}

std::optional<std::int64_t> parse_int64(std::string_view cell) { return parse_whole<std::int64_t>(cell); }

std::optional<double> parse_double(std::string_view cell) {
  const auto value = parse_whole<double>(cell);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string quoted(std::string_view cell) {
  constexpr std::size_t kLongest = 40;
  std::string text(cell.substr(0, kLongest));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return "'" + text + (cell.size() > kLongest ? "…'" : "'");
}

void for_each_row(const std::filesystem::path& path, std::span<const std::string_view> columns, const RowFunction& row,
                  std::span<const std::string_view> optional_columns) {
  for_each_row_of(read_whole_file(path), path, columns, row, optional_columns);
}

void for_each_row_of(std::string_view rest, const std::filesystem::path& path,
                     std::span<const std::string_view> columns, const RowFunction& row,
                     std::span<const std::string_view> optional_columns) {
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // the byte order mark that spreadsheets write
  while (rest.ends_with('\n') || rest.ends_with('\r')) rest.remove_suffix(1);
  if (rest.empty()) fail_at_line(path, 1, "the file is empty; the first line must be a header");

  std::vector<std::string_view> cells, wanted(columns.size() + optional_columns.size());
  split_line(take_line(rest), ',', cells);
  const auto width = cells.size();
  const auto positions = positions_of(columns, optional_columns, cells, path);
  for (std::int64_t line = 2; !rest.empty(); ++line) {
    split_line(take_line(rest), ',', cells);
    if (cells.size() != width)
      fail_at_line(path, line,
                   "expected " + counted(static_cast<std::int64_t>(width), "cell") + " as in the header, found " +
                       std::to_string(cells.size()) + "; correct or remove the line");
    for (std::size_t i = 0; i < positions.size(); ++i)
      wanted[i] = positions[i] < cells.size() ? cells[positions[i]] : std::string_view();
    row(wanted, line);
  }
}

}  // namespace beatscan
