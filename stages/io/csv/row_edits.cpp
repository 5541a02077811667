#include "stages/io/csv/row_edits.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "stages/io/csv/csv_lines.h"

namespace beatscan {
namespace {

// Calls edit(line) for each line, without its line end.
template <class Edit>
void edit_lines(std::span<char> rows, Edit edit) {
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find(begin, rows.end(), '\n');
    edit(std::span<char>(begin, end));
    begin = end == rows.end() ? end : end + 1;
  }
}

// Puts one tab between two cells, and blanks elsewhere. A dash is no value.
void put_tabs(std::span<char> line) {
  const std::string_view text = without_cr({line.data(), line.size()});
  std::size_t end_before = text.npos;
  for (std::size_t i = 0; i < text.size();) {
    if (is_blank_or_tab(text[i])) {
      if (text[i] == '\t') line[i] = ' ';
      ++i;
      continue;
    }
    if (end_before != text.npos) line[end_before] = '\t';
    const bool is_dash = text[i] == '-';
    const std::size_t begin = i;
    i = end_before = end_of_cell_between_blanks(text, i);
    if (is_dash && i == begin + 1) line[begin] = ' ';
  }
}

void make_points_in_quotes(std::span<char> line) {
  bool quoted = false;
  for (char& c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) c = c == ',' ? '.' : c == '.' ? ',' : c;
  }
}

void make_points_of_pairs(std::span<char> line) {
  bool is_decimal = false;
  for (char& c : line)
    if (c == ',' && (is_decimal = !is_decimal)) c = '.';
}

void blank_out_ends(std::span<char> line, char delimiter, int columns) {
  bool quoted = false;
  int before = 0;
  auto end = line.end();  // the delimiter behind the last column
  for (auto c = line.begin(); c != line.end() && end == line.end(); ++c) {
    if (*c == '"') quoted = !quoted;
    if (!quoted && *c == delimiter && ++before == columns) end = c;
  }
  const auto rest = std::span<char>(end, line.end());
  if (std::ranges::all_of(rest, [&](char c) { return c == delimiter || is_blank_or_tab(c) || c == '\r'; }))
    std::ranges::fill(rest, ' ');
}

bool is_date(std::string_view cell) {
  return cell.size() >= 8 && cell.size() <= 10 && decimal::is_digit(cell.front()) && decimal::is_digit(cell.back()) &&
         std::ranges::count_if(cell, [](char c) { return c == '-' || c == '/' || c == '.'; }) == 2 &&
         std::ranges::all_of(cell, [](char c) { return decimal::is_digit(c) || c == '-' || c == '/' || c == '.'; });
}

}  // namespace

std::size_t end_of_cell_between_blanks(std::string_view line, std::size_t begin) {
  const char first = line[begin];
  if (first == '"' || first == '\'' || first == '[') {
    const auto close = line.find(first == '[' ? ']' : first, begin + 1);
    if (close != line.npos && (close + 1 == line.size() || is_blank_or_tab(line[close + 1]))) return close + 1;
  }
  const auto end_from = [&](std::size_t from) { return std::min(line.find_first_of(" \t", from), line.size()); };
  const std::size_t end = end_from(begin);
  if (end + 1 < line.size() && line[end] == ' ' && decimal::is_digit(line[end + 1]) &&
      is_date(line.substr(begin, end - begin)))
    if (const auto after = end_from(end + 1); line.substr(end + 1, after - end - 1).find(':') != line.npos)
      return after;
  return end;
}

void RowEdits::operator()(std::span<char> rows) const {
  if (blanks) edit_lines(rows, put_tabs);
  if (decimal_commas) swap_points_and_commas(rows);
  if (commas_in_quotes) edit_lines(rows, make_points_in_quotes);
  if (commas_in_pairs) edit_lines(rows, make_points_of_pairs);
  if (dashes) blank_out_dashes(rows, delimiter);
  if (ends) edit_lines(rows, [this](std::span<char> line) { blank_out_ends(line, delimiter, columns); });
}

// Looks at blocks: first it finds the cells in a block, then it changes them. So neither loop has a branch, and the
// compiler makes vector instructions of both.
void blank_out_dashes(std::span<char> rows, char delimiter) {
  if (rows.empty()) return;
  const auto is_dash_between = [&](char before, char c, char after) -> std::uint8_t {
    return (c == '-') & ((before == delimiter) | (before == '\n')) &
           ((after == delimiter) | (after == '\n') | (after == '\r'));
  };
  const std::size_t last = rows.size() - 1;
  const bool last_is_dash = is_dash_between(last == 0 ? '\n' : rows[last - 1], rows[last], '\n');
  if (last > 0 && is_dash_between('\n', rows[0], rows[1])) rows[0] = ' ';
  std::array<std::uint8_t, 4096> found;
  for (std::size_t begin = 1; begin < last; begin += found.size()) {
    const std::size_t count = std::min(found.size(), last - begin);
    char* const before = rows.data() + begin - 1;  // of the block's first character
    for (std::size_t i = 0; i < count; ++i) found[i] = is_dash_between(before[i], before[i + 1], before[i + 2]);
    for (std::size_t i = 0; i < count; ++i) before[i + 1] = found[i] ? ' ' : before[i + 1];
  }
  if (last_is_dash) rows[last] = ' ';
}

}  // namespace beatscan
