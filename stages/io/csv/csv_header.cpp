#include "stages/io/csv/csv_header.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/letters.h"
#include "stages/common/nearest_name.h"
#include "stages/common/utf8.h"
#include "stages/io/csv/csv_choice.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/csv_table.h"
#include "stages/io/csv/first_values.h"
#include "stages/io/csv/foreign_formats.h"
#include "stages/io/csv/row_format.h"
#include "stages/io/csv/time_cell.h"
#include "stages/io/csv/time_name.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

constexpr std::size_t kUsualHeaderBytes = 16 << 10, kMaxHeaderBytes = 4 << 20;
constexpr std::size_t kRowsOfEnds = 64;  // rows whose ends are examined

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

// Returns whether a first line only numbers the columns behind that of an index or of times, as pandas does with
// columns that have no names: ",0,1" or "Time,1,2" above rows whose first cell is a number or a time.
bool numbers_columns(const std::vector<std::string>& cells, std::span<const CsvLine> rows, char delimiter) {
  if (cells.size() < 2 || rows.size() < 2) return false;
  const std::string name = in_small_letters(cells[0]);
  if (!name.empty() && name != "index" && name != "unnamed: 0" && !states_time(name)) return false;
  const bool from_0 = cells[1] == "0";
  for (std::size_t i = 1; i < cells.size(); ++i)
    if (cells[i] != std::to_string(from_0 ? i - 1 : i)) return false;
  return std::ranges::all_of(rows.first(2), [&](const CsvLine& row) {
    const auto values = cells_of(row.text, delimiter);
    return values.size() == cells.size() && !values[0].empty() && parse_time(values[0]).kind != TimeKind::bad;
  });
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

// Returns whether commas separate the cells of rows, and numbers in quotes have decimal ones.
bool has_commas_in_quotes(std::span<const CsvLine> rows) {
  return std::ranges::any_of(
      rows, [](const CsvLine& row) { return std::ranges::any_of(cells_of(row.text, ','), has_decimal_comma); });
}

// Returns the character between the columns; with decimal commas it is no comma, unless quotes or pairs tell them
// apart.
char find_table_delimiter(std::span<const CsvLine> rows, const RowFormat& format, const std::string& decimal) {
  const char found = find_delimiter(rows[0].text);
  return found == ',' && decimal == "," && !format.commas_in_pairs && !has_commas_in_quotes(rows) ? ';' : found;
}

// Returns the cells of a row as they are parsed. Blanks in `head` have been edited already.
std::vector<std::string> values_of(std::string_view line, const CsvHeader& header) {
  std::string edited(line);
  RowEdits edits = header.edits;
  edits.blanks = false;
  edits(edited);
  return cells_of(edited, header.layout.delimiter);
}

// Returns whether numbers have decimal commas: some have, none has a point, and at least one has a comma that cannot
// separate thousands. Where commas separate the columns, these are commas in quotes.
bool finds_decimal_commas(std::span<const CsvLine> lines, char delimiter) {
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

// Leaves out delimiters at the ends of lines that not all lines have, and columns without a name or a value there:
// recorders end the rows alone with a delimiter, or the header alone. Without a header a last column without a value is
// one of these.
void leave_out_ends(std::span<const CsvLine> rows, CsvHeader& header) {
  const std::size_t in_header = header.columns.size();
  std::size_t columns = 1;  // up to the last one with a name or a value
  for (std::size_t i = 0; i < in_header && header.has_header; ++i)
    if (!header.columns[i].empty()) columns = i + 1;
  bool any_other = !header.has_header;
  std::size_t most = in_header;
  for (const auto& row : rows.first(std::min(rows.size(), kRowsOfEnds))) {
    const auto cells = values_of(row.text, header);
    any_other |= cells.size() != in_header && !is_blank_line(row.text);
    most = std::max(most, cells.size());
    for (std::size_t i = columns; i < cells.size(); ++i)
      if (!cells[i].empty()) columns = i + 1;
  }
  const bool has_more = columns > in_header;  // a row with too many values is a bad one
  if (rows.empty() || !any_other || has_more || columns == most) return;
  header.edits.ends = true;
  header.columns.resize(columns);
  header.edits.columns = header.layout.columns = static_cast<int>(columns);
}

// Adds a name for a first column that counts rows and that the header lacks, as R writes its tables.
void add_name_of_counter(std::span<const CsvLine> rows, CsvHeader& header) {
  constexpr std::size_t kFewest = 3;
  const auto first = rows.first(std::min(rows.size(), kRowsOfEnds));
  if (!header.has_header || first.size() < kFewest) return;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto cells = values_of(first[i].text, header);
    const bool counts = is_number_cell(cells[0]) && value_of_cell(cells[0]) == static_cast<double>(i + 1);
    if (cells.size() != header.columns.size() + 1 || cells.back().empty() || !counts) return;
  }
  header.columns.insert(header.columns.begin(), "");
  ++header.layout.columns;
}

// Names the columns by the table's first line, or by a comment before it.
void name_columns(std::span<const CsvLine> lines, std::int64_t file_bytes, const CsvTable& table,
                  const CsvOptions& options, CsvHeader& header) {
  const CsvLine& first = lines[table.first];
  header.columns = values_of(first.text, header);
  header.has_header =
      is_header(header.columns, options.column.empty() && !options.leads.empty() ? options.leads[0] : options.column) ||
      numbers_columns(header.columns, lines.subspan(table.first + 1), header.layout.delimiter);
  header.layout.columns = static_cast<int>(header.columns.size());
  std::size_t rows = table.first + (header.has_header ? table.has_units ? 2 : 1 : 0);
  const std::size_t units_line = rows - 1;
  if (header.has_header) {
    // In a file of one column a blank line is a row without a value.
    while (header.columns.size() > 1 && rows + 1 < lines.size() && is_blank_line(lines[rows].text)) ++rows;
    const CsvLine& last = lines[rows - 1];
    header.data_offset = std::min(last.first_byte + std::ssize(last.text) + 1, file_bytes);
    header.columns = cells_of(first.text, header.layout.delimiter);
    header.layout.columns = static_cast<int>(header.columns.size());
  } else if (table.header) {
    header.columns = cells_of(without_mark(lines[*table.header].text), header.layout.delimiter);
    header.has_header = true;
  }
  add_name_of_counter(lines.subspan(rows), header);
  leave_out_ends(lines.subspan(rows), header);
  if (!header.has_header) {
    for (std::size_t i = 0; i < header.columns.size(); ++i) header.columns[i] = std::to_string(i);
    const auto others = header.columns.size() - std::min(header.columns.size(), table.metadata.channels.size());
    header.has_header = !table.metadata.channels.empty() && others <= 1;  // name_channels names them
    if (header.has_header && others == 1) header.columns[0] = "time";
    if (table.metadata.columns.size() == header.columns.size()) {
      header.columns = table.metadata.columns;
      header.has_header = true;
    }
    if (header.columns.size() == 1 && !table.metadata.lead.empty()) header.columns[0] = table.metadata.lead;
  }
  std::ranges::for_each(header.columns, [](std::string& name) { name = in_utf8(std::move(name)); });
  header.edits.dashes = header.has_header && std::ranges::all_of(header.columns, [](const std::string& name) {
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
  return rows;
}

// Gives the columns the names and units of the lines before the table that list channels. A first column besides these
// holds the times, and its name is their unit. Names stay if there are more or fewer columns than that.
void name_channels(CsvHeader& header) {
  const auto& channels = header.metadata.channels;
  if (channels.empty() || !header.has_header) return;
  std::size_t named = header.columns.size();
  while (named > 0 && header.columns[named - 1].empty()) --named;
  const std::size_t others = named - std::min(channels.size(), named);
  const bool has_time = named > 0 && (states_time(header.columns[0]) || time_unit_of(header.columns[0]));
  if (others > 1 || named < channels.size() || (others == 0 && has_time)) {
    header.warnings.push_back("the lines before the table list " + counted(std::ssize(channels), "channel") +
                              ", and the table has " + counted(static_cast<std::int64_t>(named), "column") +
                              (has_time ? " with that of the times" : "") + ": the columns keep their names");
    return;
  }
  if (others == 1 && !states_time(header.columns[0])) header.columns[0] = "time (" + header.columns[0] + ")";
  for (std::size_t i = 0; i < channels.size(); ++i) {
    header.columns[others + i] = channels[i].name;
    header.units[others + i] = voltage_unit(channels[i].unit);
  }
}

// Passes over the first rows of data if they describe the samples.
void pass_over_first_values(std::span<const CsvLine> lines, std::int64_t file_bytes, FirstRows& rows,
                            CsvHeader& header) {
  const auto first = static_cast<std::size_t>(header.first_line - lines[0].number);
  const auto bytes = static_cast<double>(lines.back().first_byte - lines[first].first_byte);
  const double row_bytes = bytes / static_cast<double>(std::max<std::size_t>(lines.size() - 1 - first, 1));
  const FirstValues found = first_values(rows, static_cast<double>(file_bytes - header.data_offset) / row_bytes);
  if (found.rows == 0) return;
  CsvMetadata& metadata = header.metadata;
  metadata.taken.push_back("line " + std::to_string(header.first_line) + " " + found.what);
  if (found.sample_rate_hz && !metadata.sample_rate_hz) {
    metadata.sample_rate_hz = found.sample_rate_hz;
    metadata.rate_line = header.first_line + 1;
  }
  if (!metadata.start) metadata.start = found.start;
  rows.erase(rows.begin(), rows.begin() + found.rows);
  header.first_line += found.rows;
  header.data_offset = lines[first + static_cast<std::size_t>(found.rows)].first_byte;
}

// Returns the format of rows that the options do not exclude.
RowFormat format_of_rows(std::span<const CsvLine> lines, const CsvOptions& options) {
  if (options.delimiter == " ") return rows_between_blanks(lines);
  if (!options.delimiter.empty() || delimiter_stated_by(lines[0].text)) return {};
  RowFormat format = find_row_format(lines);
  if (options.decimal == ".") format.one_number = format.commas_in_pairs = false;
  return format;
}

// Returns the character between columns; 0 where each line shows it.
char delimiter_of_rows(std::span<const CsvLine> lines, const CsvOptions& options, const RowFormat& format) {
  if (format.blanks) return '\t';
  if (!options.delimiter.empty()) return options.delimiter[0];
  if (format.one_number) return ';';
  return delimiter_stated_by(lines[0].text).value_or('\0');
}

void set_edits(std::span<const CsvLine> rows, const RowFormat& format, const CsvOptions& options, CsvHeader& header) {
  RowEdits& edits = header.edits;
  const char delimiter = edits.delimiter = header.layout.delimiter;
  edits.blanks = format.blanks;
  edits.commas_in_pairs = format.commas_in_pairs;
  if (format.commas_in_pairs) return;
  const bool commas =
      !options.decimal.empty() ? options.decimal == "," : format.one_number || finds_decimal_commas(rows, delimiter);
  (delimiter == ',' ? edits.commas_in_quotes : edits.decimal_commas) = commas;
}

}  // namespace

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
  std::vector<char> memory = read_head(file, options);
  std::string_view head(memory.data(), memory.size());
  if (head.empty()) fail(ErrorKind::input, path, "is empty; a CSV file with a column of samples is needed");
  refuse_foreign_format(path, head.substr(0, 4096));
  const std::int64_t mark = head.starts_with("\xef\xbb\xbf") ? 3 : 0;  // byte order mark
  head.remove_prefix(static_cast<std::size_t>(mark));
  const auto lines = lines_of(head, mark, std::ssize(memory) == file.size());
  const RowFormat format = format_of_rows(lines, options);
  if (format.blanks) separate_by_tabs(memory, lines, format);
  const char given = delimiter_of_rows(lines, options, format);
  CsvTable table = find_table(lines, given, options.skip_lines);
  if (table.first == lines.size())
    fail(ErrorKind::input, path,
         "has only " + counted(std::ssize(lines), "line") + " in its first " + counted(std::ssize(memory), "byte") +
             ", and ingest.skip_lines passes over " + std::to_string(*options.skip_lines));
  const CsvLine& top = lines[table.first];
  check_first_line(path, top);
  if (top.text.size() + 3 >= kMaxHeaderBytes)
    fail(ErrorKind::input, path,
         "line " + std::to_string(top.number) + ": longer than " + std::to_string(kMaxHeaderBytes) +
             " bytes; is this a CSV file?");

  CsvHeader header;
  header.table_offset = header.data_offset = top.first_byte;
  header.table_line = top.number;
  header.may_begin_at = table.may_begin_at;
  const auto rows = std::span(lines).subspan(table.first);
  header.layout.delimiter = given != 0 ? given : find_table_delimiter(rows, format, options.decimal);
  if (given == ',' && options.decimal == "," && !has_commas_in_quotes(rows))
    fail(ErrorKind::input, path, "a comma cannot be both ingest.delimiter and ingest.decimal");
  set_edits(rows, format, options, header);
  name_columns(lines, file.size(), table, options, header);
  header.metadata = std::move(table.metadata);
  name_channels(header);
  FirstRows first = first_rows(lines, header);
  if (!first.empty()) pass_over_first_values(lines, file.size(), first, header);
  choose_columns(path, first, options, header);
  for (const int column : header.leads) header.decimals.push_back(decimals_of(first, column));
  if (const auto stated = stated_time_unit_s(header)) {
    const std::string& name = header.columns[static_cast<std::size_t>(header.time_column)];
    if (const double named = time_unit_s(name); named != 1 && named != *stated)
      header.warnings.push_back("column " + listed_names({name}) +
                                " and the row of units specify different units of time: that of the row is used");
  }
  return header;
}

}  // namespace beatscan
