#include "stages/io/csv/row_format.h"

#include <algorithm>
#include <optional>

#include "stages/io/csv/csv_metadata.h"
#include "stages/io/csv/csv_table.h"
#include "stages/io/csv/time_cell.h"

namespace beatscan {
namespace {

constexpr std::size_t kMostRows = 64;  // that are examined

// The bounds of a cell in a line.
struct Bounds {
  std::size_t begin, end;
};

std::vector<Bounds> cells_between_blanks(std::string_view line) {
  std::vector<Bounds> cells;
  line = without_cr(line);
  for (std::size_t i = 0; i < line.size();) {
    if (is_blank_or_tab(line[i])) {
      ++i;
      continue;
    }
    cells.push_back({i, end_of_cell_between_blanks(line, i)});
    i = cells.back().end;
  }
  return cells;
}

std::string_view text_of(std::string_view line, Bounds cell) { return line.substr(cell.begin, cell.end - cell.begin); }

bool is_value(std::string_view cell) {
  if (cell == "-" || kind_of_cell(cell) != CellKind::bad || has_decimal_comma(cell)) return true;
  const TimeKind kind = parse_time(cell).kind;
  return kind == TimeKind::clock || kind == TimeKind::date;
}

// Returns how many cells between blanks a line has, if all are values; else 0.
std::size_t values_between_blanks(std::string_view line) {
  if (line.find_first_of("\t;|") != line.npos) return 0;
  const auto cells = cells_between_blanks(line);
  const auto is_good = [&](Bounds cell) { return is_value(text_of(line, cell)); };
  return std::ranges::all_of(cells, is_good) ? cells.size() : 0;
}

// Returns the first line from which on nine of ten lines have as many values as it; blank lines do not count. There are
// 16 or more, or as many as other lines of numbers before them. Returns nothing if there is none.
template <class CountValues>
std::optional<std::size_t> first_row(std::span<const CsvLine> lines, CountValues count) {
  constexpr std::size_t kEnough = 16;
  std::size_t before = 0;
  for (std::size_t first = 0; first < lines.size(); before += begins_like_a_number(trimmed(lines[first++].text))) {
    const std::size_t values = count(lines[first].text);
    if (values == 0) continue;
    std::size_t rows = 0, good = 0;
    for (auto i = first; i < lines.size() && rows < kMostRows; ++i) {
      if (is_blank_line(lines[i].text)) continue;
      ++rows;
      good += count(lines[i].text) == values;
    }
    if (10 * good >= 9 * rows && rows >= std::min(before, kEnough)) return first;
  }
  return std::nullopt;
}

std::vector<std::string_view> rows_from(std::span<const CsvLine> lines, std::size_t first) {
  std::vector<std::string_view> rows;
  for (auto i = first; i < lines.size() && rows.size() < kMostRows; ++i)
    if (!is_blank_line(lines[i].text)) rows.push_back(lines[i].text);
  return rows;
}

// Returns the names in the line before the first row; none if there is no line, or one of metadata.
std::vector<std::string> names_before(std::span<const CsvLine> lines, std::size_t first) {
  while (first > 0 && is_blank_line(lines[first - 1].text)) --first;
  if (first == 0 || has_known_key(lines[first - 1].text)) return {};
  return cells_of(lines[first - 1].text, find_delimiter(lines[first - 1].text));
}

// Returns whether the cell before a comma and the one behind it may be one number.
bool may_be_one_number(std::string_view whole, std::string_view fraction) {
  if (whole.starts_with('-') || whole.starts_with('+')) whole.remove_prefix(1);
  return !fraction.empty() && std::ranges::all_of(whole, decimal::is_digit) &&
         std::ranges::all_of(fraction, decimal::is_digit);
}

// Returns whether rows are single numbers with a decimal comma (RowFormat::one_number).
bool are_single_numbers(std::span<const std::string_view> rows, std::span<const std::string> names,
                        const CsvMetadata& before) {
  std::size_t commas = 0;
  bool cannot_be_columns = false, no_thousands = false;
  for (const auto row : rows) {
    const std::string cell = trimmed(row);
    const auto comma = cell.find(',');
    if (comma == cell.npos) continue;
    const auto number = std::string_view(cell);
    if (!may_be_one_number(number.substr(0, comma), number.substr(comma + 1))) continue;
    ++commas;
    cannot_be_columns |= cell.starts_with("-0,") || (cell[comma + 1] == '0' && comma + 2 < cell.size());
    no_thousands |= !may_be_thousands(cell);
  }
  if (names.size() > 1 || 2 * commas <= rows.size()) return false;
  const bool is_recorder = before.known_keys >= 2;
  return (no_thousands || is_recorder) && (names.size() == 1 || is_recorder || cannot_be_columns);
}

// Returns whether rows have decimal commas and commas between their columns (RowFormat::commas_in_pairs).
bool are_pairs(std::span<const std::string_view> rows, std::size_t columns) {
  std::vector<std::size_t> digits(columns);  // behind the comma, if all rows have as many
  bool zero_first = false;
  for (const auto row : rows) {
    const auto cells = cells_of(row, ',');
    if (cells.size() != 2 * columns) return false;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string& fraction = cells[2 * i + 1];
      if (!may_be_one_number(cells[2 * i], fraction)) return false;
      zero_first |= fraction.starts_with('0') && fraction.size() > 1;
      if (digits[i] != 0 && digits[i] != fraction.size()) return false;
      digits[i] = fraction.size();
    }
  }
  return zero_first;
}

// Returns names for so many columns in a line between blanks: each word is one, or each group of words with two blanks
// around it, or each word with those in brackets behind it.
std::vector<Bounds> names_between_blanks(std::string_view line, std::size_t columns) {
  const auto words = cells_between_blanks(line);
  if (words.size() == columns) return words;
  const auto joined = [&](auto belongs_to_last) {
    std::vector<Bounds> names;
    for (const Bounds word : words)
      if (!names.empty() && belongs_to_last(names.back(), word))
        names.back().end = word.end;
      else
        names.push_back(word);
    return names;
  };
  if (auto names =
          joined([&](Bounds last, Bounds word) { return word.begin == last.end + 1 && line[last.end] == ' '; });
      names.size() == columns)
    return names;
  static constexpr std::string_view kBehindNames = "([#/";
  return joined([&](Bounds, Bounds word) { return kBehindNames.find(line[word.begin]) != kBehindNames.npos; });
}

// Writes tabs between the names, and before them if the first column has none.
void separate_names(std::span<char> line, std::size_t columns) {
  const std::string_view text(line.data(), line.size());
  std::size_t mark = text.find_first_not_of(" \t\"");
  mark = mark != text.npos && (text[mark] == '#' || text[mark] == '%') ? mark + 1 : 0;
  auto names = names_between_blanks(text.substr(mark), columns);
  const bool lacks_first = columns > 1 && names.size() + 1 == columns && mark == 0 && is_blank_or_tab(text[0]);
  if (names.size() != columns && !lacks_first) return;
  for (auto& name : names) name = {name.begin + mark, name.end + mark};
  std::ranges::replace(line, '\t', ' ');
  if (lacks_first) line[0] = '\t';
  for (std::size_t i = 0; i + 1 < names.size(); ++i) line[names[i].end] = '\t';
}

}  // namespace

RowFormat find_row_format(std::span<const CsvLine> lines) {
  const auto several_values = [](std::string_view line) {
    const std::size_t values = values_between_blanks(line);
    return values > 1 ? values : 0;
  };
  if (const auto first = first_row(lines, several_values))
    return {.blanks = true, .first = *first, .columns = several_values(lines[*first].text)};
  const auto is_of_numbers = [](std::string_view line) -> std::size_t {
    return !is_blank_line(line) && line.find_first_not_of("0123456789+-, \"\r") == line.npos;
  };
  RowFormat format;
  const auto first = first_row(lines, is_of_numbers);
  if (!first) return format;
  const auto rows = rows_from(lines, *first);
  const auto names = names_before(lines, *first);
  CsvMetadata before;
  for (std::size_t i = 0; i < *first; ++i) read_metadata_line(lines[i].text, lines[i].number, before);
  format.first = *first;
  format.one_number = are_single_numbers(rows, names, before);
  format.commas_in_pairs = names.size() > 1 && are_pairs(rows, names.size());
  if (format.commas_in_pairs) format.columns = names.size();
  return format;
}

RowFormat rows_between_blanks(std::span<const CsvLine> lines) {
  if (const RowFormat found = find_row_format(lines); found.blanks) return found;
  return {.blanks = true, .columns = cells_between_blanks(lines.back().text).size()};
}

void separate_by_tabs(std::span<char> head, std::span<const CsvLine> lines, const RowFormat& format) {
  const auto editable = [&](std::string_view line) {
    return head.subspan(static_cast<std::size_t>(line.data() - head.data()), line.size());
  };
  for (std::size_t i = format.first; i < lines.size(); ++i) RowEdits{.blanks = true}(editable(lines[i].text));
  int before = 0;  // lines with names and with units
  for (std::size_t i = format.first; i-- > 0 && before < 2;)
    if (!is_blank_line(lines[i].text)) {
      separate_names(editable(lines[i].text), format.columns);
      ++before;
    }
}

}  // namespace beatscan
