#include "stages/input/csv/csv_table.h"

#include "stages/input/csv/time_cell.h"
#include "stages/recording/leads.h"

namespace beatscan {
namespace {

bool is_comment(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t\"");
  return begin != line.npos && (line[begin] == '#' || line[begin] == '%');
}

char delimiter_of(std::string_view line, char given) { return given != 0 ? given : find_delimiter(line); }

bool is_decimal(const std::string& cell) { return is_number_cell(cell) || has_decimal_comma(cell); }

// Tells whether a line may be a row of samples: its first cell is a number or a time, or is missing before a number.
bool may_be_data(std::string_view line, char given) {
  const auto cells = cells_of(line, delimiter_of(line, given));
  const bool any = std::ranges::any_of(cells, is_decimal);
  if (kind_of_cell(cells[0]) == CellKind::missing) return any;
  return is_decimal(cells[0]) || parse_time(cells[0]).kind != TimeKind::bad;
}

bool is_unit(const std::string& cell) {
  static constexpr std::array<std::string_view, 14> kUnits = {
      "", "s", "sec", "ms", "us", "µs", "ns", "-", "au", "a.u.", "mmHg", "bpm", "hh:mm:ss.mmm", "samples"};
  std::string_view text = cell;
  for (const auto& [open, close] : {std::pair{'\'', '\''}, std::pair{'[', ']'}, std::pair{'(', ')'}})
    if (text.size() >= 2 && text.front() == open && text.back() == close) text = text.substr(1, text.size() - 2);
  return std::ranges::find(kUnits, text) != kUnits.end() || !voltage_unit(text).empty();
}

// Tells whether a line has a unit for each column, one of them a voltage, and follows a header of as many columns.
bool is_row_of_units(std::string_view line, std::string_view header, char given) {
  const char delimiter = delimiter_of(header, given);
  const auto units = cells_of(line, delimiter), names = cells_of(header, delimiter);
  const auto is_voltage = [](const std::string& cell) {
    return voltage_unit_in_name(cell) != "" || voltage_unit(trimmed(cell)) != "";
  };
  return units.size() == names.size() && std::ranges::all_of(units, is_unit) &&
         std::ranges::any_of(units, [&](std::string cell) {
           std::erase(cell, '\'');
           return is_voltage(cell);
         });
}

// Tells whether a line may name the columns of the row `data`.
bool may_name_columns(std::string_view line, std::string_view data, char given) {
  if (is_blank_line(line) || is_comment(line)) return false;
  const char delimiter = delimiter_of(data, given);
  const auto names = cells_of(line, delimiter);
  return names.size() == cells_of(data, delimiter).size() && std::ranges::none_of(names, is_decimal) &&
         !begins_like_a_number(names[0]) && (names.size() == 1 || !has_known_key(line));
}

// Tells whether a comment names the columns of the row `data`: it has as many cells and no "=" or ":" of a sentence.
bool comment_names_columns(std::string_view line, std::string_view data, char given) {
  line.remove_prefix(line.find_first_of("#%") + 1);
  if (line.find_first_of("=:") != line.npos) return false;
  const char delimiter = delimiter_of(data, given);
  const auto names = cells_of(line, delimiter);
  if (names.size() != cells_of(data, delimiter).size() || std::ranges::any_of(names, is_decimal)) return false;
  if (names.size() == 1) return is_ecg_by_name(names[0]) || !voltage_unit(names[0]).empty();
  return !std::ranges::all_of(names, &std::string::empty);
}

// Tells whether lines may stand before a table. They do not if one may be a damaged row of it.
bool may_be_passed_over(std::span<const CsvLine> lines, char given) {
  return std::ranges::none_of(lines, [&](const CsvLine& line) {
    return !is_blank_line(line.text) && !is_comment(line.text) &&
           begins_like_a_number(cells_of(line.text, delimiter_of(line.text, given))[0]);
  });
}

void read_metadata(std::span<const CsvLine> lines, bool comments_only, CsvMetadata& metadata) {
  for (const auto& line : lines)
    if (!comments_only || is_comment(line.text)) read_metadata_line(line.text, line.number, metadata);
}

bool has_units_at(std::span<const CsvLine> lines, std::size_t header, char given) {
  return header + 1 < lines.size() && !may_be_data(lines[header].text, given) &&
         !may_be_data(lines[header + 1].text, given) &&
         is_row_of_units(lines[header + 1].text, lines[header].text, given);
}

// Returns the first line of the table whose first row of data is line `data`, not before `first`.
std::size_t with_header(std::span<const CsvLine> lines, std::size_t first, std::size_t data, char given) {
  if (data >= first + 2 && has_units_at(lines, data - 2, given)) return data - 2;
  return data > first && may_name_columns(lines[data - 1].text, lines[data].text, given) ? data - 1 : data;
}

}  // namespace

CsvTable find_table(std::span<const CsvLine> lines, char delimiter, std::optional<std::int64_t> skip_lines) {
  CsvTable table;
  if (skip_lines) {
    table.first = static_cast<std::size_t>(std::min(*skip_lines, std::ssize(lines)));
    read_metadata(lines.first(table.first), false, table.metadata);
    table.has_units = has_units_at(lines, table.first, delimiter);
    return table;
  }
  std::size_t first = 0;
  bool any_comment = false;
  while (first < lines.size() && (is_comment(lines[first].text) || is_blank_line(lines[first].text)))
    any_comment |= is_comment(lines[first++].text);
  if (first == lines.size()) return table;  // nothing but comments: the first line is refused
  std::size_t data = first;
  while (data < lines.size() && (is_blank_line(lines[data].text) || !may_be_data(lines[data].text, delimiter))) ++data;
  if (!any_comment && data == first) return table;  // blank lines before numbers are rows without a value
  read_metadata(lines.first(first), true, table.metadata);
  table.first = first;
  if (data == lines.size()) return table;
  const std::size_t begin = with_header(lines, first, data, delimiter);
  const auto before = lines.subspan(first, begin - first);
  CsvMetadata all = table.metadata;
  read_metadata(before, false, all);
  if (begin > first && may_be_passed_over(before, delimiter) && all.is_certain()) {
    table.first = begin;
    table.metadata = std::move(all);
  } else if (begin >= first + 2 && may_be_passed_over(before, delimiter)) {
    table.may_begin_at = lines[begin].number;
  }
  table.has_units = has_units_at(lines, table.first, delimiter);
  if (any_comment && table.first == first && data == first)
    for (std::size_t i = first; i-- > 0 && !table.header;) {
      if (is_blank_line(lines[i].text)) continue;
      if (!comment_names_columns(lines[i].text, lines[data].text, delimiter)) break;
      table.header = i;
    }
  return table;
}

}  // namespace beatscan
