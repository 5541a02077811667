#include "stages/io/csv/csv_lines.h"

#include "stages/common/from_chars.h"

namespace beatscan {

std::vector<CsvLine> lines_of(std::string_view head, std::int64_t offset, bool whole) {
  std::vector<CsvLine> lines;
  for (std::size_t begin = 0; begin < head.size() || lines.empty();) {
    const std::size_t end = head.find('\n', begin);
    if (end == head.npos && !whole && !lines.empty()) break;
    lines.push_back(
        {head.substr(begin, end - begin), offset + static_cast<std::int64_t>(begin), std::ssize(lines) + 1});
    if (end == head.npos) break;
    begin = end + 1;
  }
  return lines;
}

std::string trimmed(std::string_view cell) {
  const auto strip = [&](std::string_view characters) {
    const auto first = cell.find_first_not_of(characters);
    cell = first == cell.npos ? std::string_view{} : cell.substr(first, cell.find_last_not_of(characters) - first + 1);
  };
  strip(" \t\r");
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    cell = cell.substr(1, cell.size() - 2);
    strip(" \t");
  }
  return std::string(cell);
}

std::vector<std::string> cells_of(std::string_view line, char delimiter) {
  std::vector<std::string> cells;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (quoted || line[i] != delimiter)) continue;
    cells.push_back(trimmed(line.substr(begin, i - begin)));
    begin = i + 1;
  }
  return cells;
}

char find_delimiter(std::string_view line) {
  for (const char candidate : {'\t', ';', '|', ','}) {
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == candidate && !quoted) return candidate;
    }
  }
  return ',';
}

double value_of_cell(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double value = 0;
  from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

bool has_decimal_comma(std::string_view cell) {
  cell = cell.substr(0, 100);
  const auto comma = cell.find(',');
  if (comma == cell.npos || comma + 1 == cell.size() || !decimal::is_digit(cell[comma + 1]))
    return false;  // "962, 963"
  return std::ranges::count(cell, ',') == 1 && cell.find('.') == cell.npos &&
         is_number_cell(with_points_and_commas_swapped(cell));
}

bool may_be_thousands(std::string_view cell) {
  const std::string text = trimmed(cell.substr(0, 100));
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  const auto comma = rest.find(',');
  return comma != rest.npos && comma >= 1 && comma <= 3 && rest[0] != '0' && rest.size() == comma + 4 &&
         std::ranges::all_of(rest.substr(0, comma), decimal::is_digit) &&
         std::ranges::all_of(rest.substr(comma + 1), decimal::is_digit);
}

}  // namespace beatscan
