#include "stages/io/csv/csv_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kernels/csv/decimal.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/time_cell.h"
#include "stages/io/csv/time_name.h"
#include "stages/io/recording/lead_names.h"

namespace beatscan {
namespace {

bool is_comment(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t\"");
  return begin != line.npos && (line[begin] == '#' || line[begin] == '%');
}

char delimiter_of(std::string_view line, char given) { return given != 0 ? given : find_delimiter(line); }

bool is_decimal(const std::string& cell) { return is_number_cell(cell) || has_decimal_comma(cell); }

// Returns whether a line may be a row of samples: its first cell is a number or a time, or is missing before a number.
bool may_be_data(std::string_view line, char given) {
  if (rate_without_key(line) || counted_channels(line) > 0) return false;
  const auto cells = cells_of(line, delimiter_of(line, given));
  const bool any = std::ranges::any_of(cells, is_decimal);
  if (kind_of_cell(cells[0]) == CellKind::missing) return any;
  const TimeKind time = parse_time(cells[0]).kind;  // that of an empty cell in single quotes is missing
  return is_decimal(cells[0]) || (time != TimeKind::bad && time != TimeKind::missing);
}

// A cell of a row of units: a unit of voltage or time, a unit of something else or nothing, or any other word.
enum class UnitCell { measured, other, word };
UnitCell kind_of_unit(std::string cell) {
  static constexpr std::array<std::string_view, 16> kOthers = {
      "", "-", "au", "a.u.", "adu", "NU", "nu", "mmHg", "bpm", "samples", "%", "Ohm", "ohm", "g", "pm", "degC"};
  std::erase_if(cell, [](char c) { return std::string_view("'()[]").find(c) != std::string_view::npos; });
  if (!voltage_unit(cell).empty() || time_unit_of(cell) || cell.starts_with("hh:mm:ss")) return UnitCell::measured;
  return std::ranges::find(kOthers, cell) != kOthers.end() ? UnitCell::other : UnitCell::word;
}

// Returns whether a line has a unit for each column of the header, one of them a voltage or a time. Any other word may
// stand for a unit in these cases: all cells are in single quotes, as PhysioNet writes them, or one of the cells is mV
// or the like.
bool is_row_of_units(std::string_view line, std::string_view header, char given) {
  const char delimiter = delimiter_of(header, given);
  const auto cells = cells_of(line, delimiter);
  const auto may_be_sample = [](const std::string& cell) {
    return begins_like_a_number(cell) || (!cell.empty() && kind_of_cell(cell) == CellKind::missing);
  };
  if (cells.size() != cells_of(header, delimiter).size() || std::ranges::any_of(cells, may_be_sample)) return false;
  const auto is_quoted = [](const std::string& cell) { return cell.starts_with('\'') && cell.ends_with('\''); };
  const auto is_voltage = [](const std::string& cell) { return cell != "V" && !voltage_unit(cell).empty(); };
  const bool any_word = std::ranges::all_of(cells, is_quoted) || std::ranges::any_of(cells, is_voltage);
  const auto is = [](UnitCell kind) { return [kind](const std::string& cell) { return kind_of_unit(cell) == kind; }; };
  return std::ranges::any_of(cells, is(UnitCell::measured)) &&
         (any_word || std::ranges::none_of(cells, is(UnitCell::word)));
}

// Returns whether a line may name the columns of the row `data`.
bool may_name_columns(std::string_view line, std::string_view data, char given) {
  if (is_blank_line(line) || is_comment(line)) return false;
  const char delimiter = delimiter_of(data, given);
  const auto names = cells_of(line, delimiter);
  return names.size() == cells_of(data, delimiter).size() && std::ranges::none_of(names, is_decimal) &&
         !begins_like_a_number(names[0]) && (names.size() == 1 || !has_known_key(line));
}

// Returns whether a comment names the columns of the row `data`: it has as many cells and no "=" or ":" of a sentence.
bool comment_names_columns(std::string_view comment, std::string_view data, char given) {
  const std::string_view line = without_mark(comment);
  if (line.find_first_of("=:") != line.npos) return false;
  const char delimiter = delimiter_of(data, given);
  const auto names = cells_of(line, delimiter);
  if (names.size() != cells_of(data, delimiter).size() || std::ranges::any_of(names, is_decimal)) return false;
  if (names.size() == 1) return is_ecg_by_name(names[0]) || !voltage_unit(names[0]).empty();
  return !std::ranges::all_of(names, &std::string::empty);
}

// Returns whether lines may stand before a table. They may not if one may be a damaged row of it.
bool may_be_passed_over(std::span<const CsvLine> lines, char given) {
  return std::ranges::none_of(lines, [&](const CsvLine& line) {
    return !is_blank_line(line.text) && !is_comment(line.text) && !rate_without_key(line.text) &&
           counted_channels(line.text) == 0 &&
           begins_like_a_number(cells_of(line.text, delimiter_of(line.text, given))[0]);
  });
}

void read_metadata(std::span<const CsvLine> lines, bool comments_only, CsvMetadata& metadata) {
  for (const auto& line : lines)
    if (!comments_only || is_comment(line.text)) read_metadata_line(line.text, line.number, metadata);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (const auto channels = counted_channels(lines[i].text); channels > 0 && i + 2 * channels < lines.size())
      for (std::size_t channel = 0; channel < channels; ++channel)
        metadata.channels.push_back(
            {trimmed(lines[i + 1 + 2 * channel].text), trimmed(lines[i + 2 + 2 * channel].text)});
}

bool has_units_at(std::span<const CsvLine> lines, std::size_t header, char given) {
  return header + 1 < lines.size() && !may_be_data(lines[header].text, given) &&
         !may_be_data(lines[header + 1].text, given) &&
         is_row_of_units(lines[header + 1].text, lines[header].text, given);
}

// Returns the first line of the table whose first row of data is line `data`, not before `first`. Blank lines may stand
// between the header and the data of several columns; in a file of one column they are rows without a value.
std::size_t with_header(std::span<const CsvLine> lines, std::size_t first, std::size_t data, char given) {
  const std::string_view row = lines[data].text;
  std::size_t end = data;
  if (cells_of(row, delimiter_of(row, given)).size() > 1)
    while (end > first && is_blank_line(lines[end - 1].text)) --end;
  if (end >= first + 2 && has_units_at(lines, end - 2, given)) return end - 2;
  return end > first && may_name_columns(lines[end - 1].text, row, given) ? end - 1 : data;
}

}  // namespace

std::string_view without_mark(std::string_view comment) {
  comment.remove_prefix(comment.find_first_of("#%") + 1);
  comment.remove_prefix(std::min(comment.find_first_not_of(' '), comment.size()));
  return comment;
}

std::optional<char> delimiter_stated_by(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with('"')) line.remove_suffix(1);
  while (line.starts_with('"')) line.remove_prefix(1);
  if (!line.starts_with("sep=") && !line.starts_with("SEP=") && !line.starts_with("Sep=")) return std::nullopt;
  line.remove_prefix(4);
  if (line == "\\t") return '\t';
  return line.size() == 1 && !decimal::is_digit(line[0]) ? std::optional(line[0]) : std::nullopt;
}

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
  if (delimiter_stated_by(lines[0].text)) {
    any_comment = true;
    ++first;
  }
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
