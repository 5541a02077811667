#include "stages/io/csv/csv_header.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/nearest_name.h"
#include "stages/common/utf8.h"
#include "stages/io/csv/csv_choice.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/csv_table.h"
#include "stages/io/csv/foreign_formats.h"
#include "stages/io/csv/time_name.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

constexpr std::size_t kUsualHeaderBytes = 16 << 10, kMaxHeaderBytes = 4 << 20;

std::vector<char> first_bytes(const InputFile& file, std::size_t most) {
  std::vector<char> memory(std::min(most, static_cast<std::size_t>(file.size())));
  memory.resize(static_cast<std::size_t>(file.read(0, memory)));
  return memory;
}

void check_first_line(const std::string& path, const CsvLine& first) {
  const std::string_view line = first.text;
  const auto place = [&](std::size_t at) {
    return path + ": line " + std::to_string(first.number) + ": byte " +
           std::to_string(first.first_byte + static_cast<std::int64_t>(at));
  };
  if (const auto cr = line.find('\r'); cr != line.npos && cr + 1 < line.size())
    fail(ErrorKind::input, place(cr), "a CR that no LF follows; convert the line ends to LF");
  if (std::ranges::count(line, '"') % 2 != 0)
    fail(ErrorKind::input, place(line.rfind('"')), "a quote is not closed before the line ends");
}

// Returns whether the first line is a header: whether the cell that would be read is no value. With a column given by
// position this is that cell. Else the line is data if any cell is a number, as a time may be text, or if all are
// missing values.
bool is_header(const std::vector<std::string>& cells, const WantedLead& column) {
  const auto is_value = [](const std::string& cell) { return kind_of_cell(cell) != CellKind::bad; };
  if (column.is_position() && std::stoul(column.text) < cells.size()) return !is_value(cells[std::stoul(column.text)]);
  return std::ranges::none_of(cells, [](const auto& cell) { return is_number_cell(cell); }) &&
         !std::ranges::all_of(cells, is_value);
}

// Returns the character between the columns; with decimal commas it is no comma.
char find_table_delimiter(std::string_view line, const std::string& decimal) {
  const char found = find_delimiter(line);
  return found == ',' && decimal == "," ? ';' : found;
}

// Returns the cells of a row, with decimal points.
std::vector<std::string> values_of(std::string_view line, const CsvHeader& header) {
  auto cells = cells_of(line, header.layout.delimiter);
  if (header.decimal_comma) std::ranges::for_each(cells, [](std::string& cell) { swap_points_and_commas(cell); });
  return cells;
}

// Returns whether numbers have decimal commas: some have, none has a point, and at least one has a comma that cannot
// separate thousands.
bool finds_decimal_commas(std::span<const CsvLine> lines, char delimiter) {
  if (delimiter == ',') return false;
  bool any = false;
  for (const auto& line : lines)
    for (const auto& cell : cells_of(line.text, delimiter)) {
      if (cell.find('.') != cell.npos && is_number_cell(cell)) return false;
      any |= has_decimal_comma(cell) && !may_be_thousands(cell);
    }
  return any;
}

// Reads the start of the file: enough for typical headers, or more if the table does not begin there.
std::vector<char> read_head(const InputFile& file, const CsvOptions& options) {
  std::vector<char> memory = first_bytes(file, kUsualHeaderBytes);
  const auto lines = std::ranges::count(memory, '\n');
  if (lines <= std::min<std::int64_t>(options.skip_lines.value_or(0), 1 << 20))
    memory = first_bytes(file, kMaxHeaderBytes);
  return memory;
}

// Names the columns by the table's first line, or by a comment before it.
void name_columns(std::span<const CsvLine> lines, std::int64_t file_bytes, const CsvTable& table,
                  const CsvOptions& options, CsvHeader& header) {
  const CsvLine& first = lines[table.first];
  header.columns = values_of(first.text, header);
  header.layout.columns = static_cast<int>(header.columns.size());
  header.has_header =
      is_header(header.columns, options.column.empty() && !options.leads.empty() ? options.leads[0] : options.column);
  std::size_t rows = table.first + (header.has_header ? table.has_units ? 2 : 1 : 0);
  const std::size_t units_line = rows - 1;
  if (header.has_header) {
    // In a file of one column a blank line is a row without a value.
    while (header.columns.size() > 1 && rows + 1 < lines.size() && is_blank_line(lines[rows].text)) ++rows;
    const CsvLine& last = lines[rows - 1];
    header.data_offset = std::min(last.first_byte + std::ssize(last.text) + 1, file_bytes);
    header.columns = cells_of(first.text, header.layout.delimiter);
  } else if (table.header) {
    header.columns = cells_of(without_mark(lines[*table.header].text), header.layout.delimiter);
    header.has_header = true;
  } else {
    for (std::size_t i = 0; i < header.columns.size(); ++i) header.columns[i] = std::to_string(i);
    if (header.columns.size() == 1 && !table.metadata.lead.empty()) header.columns[0] = table.metadata.lead;
  }
  std::ranges::for_each(header.columns, [](std::string& name) { name = in_utf8(std::move(name)); });
  // A blank in place of a dash would separate columns that blanks separate.
  header.dash_is_missing = header.has_header && header.layout.delimiter != ' ' &&
                           std::ranges::all_of(header.columns, [](const std::string& name) {
                             return name.size() > 2 && name.front() == '\'' && name.back() == '\'';
                           });
  header.has_names = header.has_header || !table.metadata.lead.empty();
  header.first_line = first.number + static_cast<std::int64_t>(rows - table.first);
  for (const auto& name : header.columns) header.units.push_back(voltage_unit_in_name(name));
  if (!table.has_units || !header.has_header) return;
  auto& units = header.row_of_units;
  units = cells_of(lines[units_line].text, header.layout.delimiter);
  for (std::size_t i = 0; i < std::min(units.size(), header.units.size()); ++i) {
    std::erase_if(units[i], [](char c) { return std::string_view("'()[]").find(c) != std::string_view::npos; });
    if (const auto unit = voltage_unit(units[i]); !unit.empty()) header.units[i] = unit;
  }
}

FirstRows first_rows(std::span<const CsvLine> lines, const CsvHeader& header) {
  constexpr std::size_t kMostRows = 64, kMostCells = 4096;
  FirstRows rows;
  if (header.columns.size() > kMostCells) return rows;
  for (const auto& line : lines)
    if (line.number >= header.first_line && rows.size() < kMostRows) rows.push_back(values_of(line.text, header));
  if (header.dash_is_missing)
    for (auto& row : rows) std::ranges::replace(row, std::string("-"), std::string());
  return rows;
}

}  // namespace

std::function<void(std::span<char>)> edit_of_rows(const CsvHeader& header) {
  const bool commas = header.decimal_comma, dashes = header.dash_is_missing;
  if (!commas && !dashes) return {};
  return [commas, dashes, delimiter = header.layout.delimiter](std::span<char> rows) {
    if (commas) swap_points_and_commas(rows);
    if (dashes) blank_out_dashes(rows, delimiter);
  };
}

std::optional<double> stated_time_unit_s(const CsvHeader& header) {
  const auto column = static_cast<std::size_t>(header.time_column);
  return column < header.row_of_units.size() ? time_unit_of(header.row_of_units[column]) : std::nullopt;
}

ParsedRow first_fault(const CsvHeader& header, const char* first, const char* last) {
  CsvLayout layout = header.layout;
  ParsedRow worst = parse_row(first, last, layout);
  for (const int column : header.leads) {
    layout.column = column;
    const ParsedRow parsed = parse_row(first, last, layout);
    if (parsed.fault != RowFault::none && (worst.fault == RowFault::none || parsed.first < worst.first)) worst = parsed;
  }
  return worst;
}

CsvHeader read_csv_header(const InputFile& file, const CsvOptions& options) {
  const std::string path = file.path().string();
  const std::vector<char> memory = read_head(file, options);
  std::string_view head(memory.data(), memory.size());
  if (head.empty()) fail(ErrorKind::input, path, "is empty; a CSV file with a column of samples is needed");
  refuse_foreign_format(path, head.substr(0, 4096));
  const std::int64_t mark = head.starts_with("\xef\xbb\xbf") ? 3 : 0;  // byte order mark
  head.remove_prefix(static_cast<std::size_t>(mark));
  const auto lines = lines_of(head, mark, std::ssize(memory) == file.size());
  const char given = !options.delimiter.empty()       ? options.delimiter[0]
                     : blanks_separate_columns(lines) ? ' '
                                                      : delimiter_stated_by(lines[0].text).value_or('\0');
  CsvTable table = find_table(lines, given, options.skip_lines);
  if (table.first == lines.size())
    fail(ErrorKind::input, path,
         "has only " + counted(std::ssize(lines), "line") + " in its first " + counted(std::ssize(memory), "byte") +
             ", and ingest.skip_lines passes over " + std::to_string(*options.skip_lines));
  const CsvLine& first = lines[table.first];
  check_first_line(path, first);
  if (first.text.size() + 3 >= kMaxHeaderBytes)
    fail(ErrorKind::input, path,
         "line " + std::to_string(first.number) + ": longer than " + std::to_string(kMaxHeaderBytes) +
             " bytes; is this a CSV file?");

  CsvHeader header;
  header.table_offset = header.data_offset = first.first_byte;
  header.table_line = first.number;
  header.may_begin_at = table.may_begin_at;
  header.layout.delimiter = given != 0 ? given : find_table_delimiter(first.text, options.decimal);
  if (header.layout.delimiter == ',' && options.decimal == ",")
    fail(ErrorKind::input, path, "a comma cannot be both ingest.delimiter and ingest.decimal");
  const auto rows = std::span(lines).subspan(table.first);
  header.decimal_comma =
      options.decimal.empty() ? finds_decimal_commas(rows, header.layout.delimiter) : options.decimal == ",";
  name_columns(lines, file.size(), table, options, header);
  header.metadata = std::move(table.metadata);
  choose_columns(path, first_rows(lines, header), options, header);
  if (const auto stated = stated_time_unit_s(header)) {
    const std::string& name = header.columns[static_cast<std::size_t>(header.time_column)];
    if (const double named = time_unit_s(name); named != 1 && named != *stated)
      header.warnings.push_back("column " + listed_names({name}) +
                                " and the row of units specify different units of time: that of the row is used");
  }
  return header;
}

}  // namespace beatscan
