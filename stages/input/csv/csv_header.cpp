#include "stages/input/csv/csv_header.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/common/nearest_name.h"
#include "stages/input/csv/time_name.h"

namespace beatscan {
namespace {

constexpr std::size_t kUsualHeaderBytes = 16 << 10, kMaxHeaderBytes = 4 << 20;

[[noreturn]] void fail(const InputFile& file, const std::string& what) {
  throw Error(ErrorKind::input, file.path().string() + ": " + what);
}

std::vector<char> first_bytes(const InputFile& file, std::size_t most) {
  std::vector<char> memory(std::min(most, static_cast<std::size_t>(file.size())));
  memory.resize(static_cast<std::size_t>(file.read(0, memory)));
  return memory;
}

// What the first bytes say of files that are no text, so that the message can say more than "not a number".
void reject_foreign_formats(const InputFile& file, std::string_view head) {
  using namespace std::string_view_literals;
  struct Signature {
    std::string_view bytes, name;
  };
  static constexpr std::array kSignatures = {Signature{"PK\x03\x04"sv, "a zip archive; unpack it first"},
                                             Signature{"PAR1"sv, "a Parquet file; export it as CSV"},
                                             Signature{"\xff\xfe"sv, "UTF-16 text; save it as UTF-8"},
                                             Signature{"\xfe\xff"sv, "UTF-16 text; save it as UTF-8"}};
  for (const auto& [bytes, name] : kSignatures)
    if (head.starts_with(bytes)) fail(file, "this is " + std::string(name));
  if (head.find('\0') != head.npos)
    fail(file, "byte " + std::to_string(head.find('\0')) + " is NUL: this is not a text file");
}

void check_first_line(const InputFile& file, std::string_view line, std::int64_t first_byte) {
  const auto place = [&](std::size_t at) { return "line 1: byte " + std::to_string(first_byte + at) + ": "; };
  if (const auto cr = line.find('\r'); cr != line.npos && cr + 1 < line.size())
    fail(file, place(cr) + "a CR that no LF follows; convert the line ends to LF");
  if (std::ranges::count(line, '"') % 2 != 0)
    fail(file, place(line.rfind('"')) + "a quote is not closed before the line ends");
}

// Not the comma first: with a decimal comma another one separates the columns.
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

std::vector<std::string> split(std::string_view line, char delimiter) {
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

CellKind kind_of(const std::string& cell) { return parse_cell(cell.data(), cell.data() + cell.size()).kind; }
bool is_value(const std::string& cell) { return kind_of(cell) != CellKind::bad; }

bool is_position(const std::string& column) {
  return !column.empty() && column.size() < 9 && std::ranges::all_of(column, decimal::is_digit);
}

bool named_like_a_time(std::string name) {
  if (tells_time(name)) return true;
  std::ranges::transform(name, name.begin(), decimal::lower);
  static constexpr std::array kNames = {"", "date", "index", "sample", "samples", "sample_index", "sample #"};
  return std::ranges::find(kNames, name) != kNames.end();
}

int position_of_name(const InputFile& file, const CsvHeader& header, const std::string& name) {
  const auto found = std::ranges::find(header.columns, name);
  if (found != header.columns.end()) {
    if (std::ranges::count(header.columns, name) > 1)
      fail(file, "line 1: column '" + name + "' stands there twice; choose one by position, counted from 0");
    return static_cast<int>(found - header.columns.begin());
  }
  const std::string nearest = nearest_name(name, header.columns);
  fail(file, "line 1: no column '" + name + "'; the columns are " + listed_names(header.columns) +
                 (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

// The column that was asked for by name or position.
int column_asked_for(const InputFile& file, const CsvHeader& header, const std::string& column, const char* key) {
  const auto columns = static_cast<int>(header.columns.size());
  if (header.has_header && std::ranges::find(header.columns, column) != header.columns.end())
    return position_of_name(file, header, column);
  if (is_position(column)) {
    if (std::stoi(column) < columns) return std::stoi(column);
    fail(file, "line 1: no column at position " + column + ": the file has " + std::to_string(columns) +
                   ", counted from 0: " + listed_names(header.columns));
  }
  if (!header.has_header)
    fail(file, "line 1: no header, so no column '" + column + "'; choose by position: --set " + key + "=0");
  return position_of_name(file, header, column);
}

int chosen_column(const InputFile& file, const CsvHeader& header, const std::string& column) {
  const auto columns = static_cast<int>(header.columns.size());
  if (!column.empty()) return column_asked_for(file, header, column, "ingest.column");
  if (columns == 1) return 0;
  if (!header.has_header && columns == 2 && header.time_column >= 0) return 1 - header.time_column;
  if (!header.has_header)
    fail(file, "line 1: " + std::to_string(columns) + " columns and no header; choose one: --set ingest.column=0");
  for (int i = 0; i < columns; ++i)
    if (i != header.time_column && !named_like_a_time(header.columns[i])) return i;
  return 0;
}

// The first that is named like one and is not the signal.
int found_time_column(const CsvHeader& header) {
  for (int i = 0; header.has_header && i < std::ssize(header.columns); ++i)
    if (i != header.layout.column && tells_time(header.columns[i])) return i;
  return -1;
}

}  // namespace

CsvHeader read_csv_header(const InputFile& file, const CsvOptions& options) {
  std::vector<char> memory = first_bytes(file, kUsualHeaderBytes);
  if (std::ranges::find(memory, '\n') == memory.end()) memory = first_bytes(file, kMaxHeaderBytes);
  std::string_view head(memory.data(), memory.size());
  if (head.empty()) fail(file, "is empty; a CSV file with a column of samples is needed");
  reject_foreign_formats(file, head.substr(0, 4096));

  CsvHeader header;
  if (head.starts_with("\xef\xbb\xbf")) header.data_offset = 3;  // byte order mark
  head.remove_prefix(static_cast<std::size_t>(header.data_offset));
  const auto line_end = head.find('\n');
  const std::string_view line = head.substr(0, line_end);
  check_first_line(file, line, header.data_offset);
  if (line_end == head.npos && head.size() + 3 >= kMaxHeaderBytes)
    fail(file, "line 1: longer than " + std::to_string(kMaxHeaderBytes) + " bytes; is this a CSV file?");
  header.layout.delimiter = options.delimiter.empty() ? find_delimiter(line) : options.delimiter[0];
  header.columns = split(line, header.layout.delimiter);
  header.layout.columns = static_cast<int>(header.columns.size());

  // The row is data if the cell that would be read is a value: by position if one is given, else if any is a number (a
  // time may be text) or all are missing.
  const bool by_position = is_position(options.column) && std::stoul(options.column) < header.columns.size();
  header.has_header =
      by_position
          ? !is_value(header.columns[std::stoul(options.column)])
          : std::ranges::none_of(header.columns, [](const auto& cell) { return kind_of(cell) == CellKind::number; }) &&
                !std::ranges::all_of(header.columns, is_value);
  if (header.has_header) {
    header.data_offset += static_cast<std::int64_t>(line_end == head.npos ? line.size() : line_end + 1);
    header.first_line = 2;
  } else {
    for (std::size_t i = 0; i < header.columns.size(); ++i) header.columns[i] = std::to_string(i);
  }
  if (!options.time_column.empty() && options.time_column != "-")
    header.time_column = column_asked_for(file, header, options.time_column, "ingest.time_column");
  header.layout.column = chosen_column(file, header, options.column);
  if (header.time_column == header.layout.column)
    fail(file, "line 1: column '" + header.columns[header.time_column] + "' is to be the signal and the time");
  if (options.time_column.empty()) header.time_column = found_time_column(header);
  return header;
}

}  // namespace beatscan
