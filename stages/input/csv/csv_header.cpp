#include "stages/input/csv/csv_header.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/common/nearest_name.h"
#include "stages/input/csv/time_name.h"
#include "stages/recording/leads.h"

namespace beatscan {
namespace {

constexpr std::size_t kUsualHeaderBytes = 16 << 10, kMaxHeaderBytes = 4 << 20;

std::vector<char> first_bytes(const InputFile& file, std::size_t most) {
  std::vector<char> memory(std::min(most, static_cast<std::size_t>(file.size())));
  memory.resize(static_cast<std::size_t>(file.read(0, memory)));
  return memory;
}

// Refuses files that are not text by their first bytes, so that the message says more than "not a number".
void reject_foreign_formats(const std::string& path, std::string_view head) {
  using namespace std::string_view_literals;
  struct Signature {
    std::string_view bytes, name;
  };
  static constexpr std::array kSignatures = {Signature{"PK\x03\x04"sv, "a zip archive; unpack it first"},
                                             Signature{"PAR1"sv, "a Parquet file; export it as CSV"},
                                             Signature{"\xff\xfe"sv, "UTF-16 text; save it as UTF-8"},
                                             Signature{"\xfe\xff"sv, "UTF-16 text; save it as UTF-8"}};
  for (const auto& [bytes, name] : kSignatures)
    if (head.starts_with(bytes)) fail(ErrorKind::input, path, "this is " + std::string(name));
  if (head.find('\0') != head.npos)
    fail(ErrorKind::input, path, "byte " + std::to_string(head.find('\0')) + " is NUL: this is not a text file");
}

void check_first_line(const std::string& path, std::string_view line, std::int64_t first_byte) {
  const auto place = [&](std::size_t at) { return path + ": line 1: byte " + std::to_string(first_byte + at); };
  if (const auto cr = line.find('\r'); cr != line.npos && cr + 1 < line.size())
    fail(ErrorKind::input, place(cr), "a CR that no LF follows; convert the line ends to LF");
  if (std::ranges::count(line, '"') % 2 != 0)
    fail(ErrorKind::input, place(line.rfind('"')), "a quote is not closed before the line ends");
}

// Returns the first of the candidates that is in the line. The comma comes last: in a file with decimal commas another
// character separates the columns.
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

bool named_like_a_time(std::string name) {
  if (tells_time(name)) return true;
  std::ranges::transform(name, name.begin(), decimal::lower);
  static constexpr std::array kNames = {"", "date", "index", "sample", "samples", "sample_index", "sample #"};
  return std::ranges::find(kNames, name) != kNames.end();
}

int position_of_name(const std::string& path, const CsvHeader& header, const std::string& name) {
  const auto found = std::ranges::find(header.columns, name);
  if (found != header.columns.end()) {
    if (std::ranges::count(header.columns, name) > 1)
      fail(ErrorKind::input, path,
           "line 1: column '" + name + "' stands there twice; choose one by position, counted from 0");
    return static_cast<int>(found - header.columns.begin());
  }
  const std::string nearest = nearest_name(name, header.columns);
  fail(ErrorKind::input, path,
       "line 1: no column '" + name + "'; the columns are " + listed_names(header.columns) +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

// Returns the position of the column that the user asked for with configuration key `key`.
int column_asked_for(const std::string& path, const CsvHeader& header, const WantedLead& wanted, const char* key) {
  const auto columns = static_cast<int>(header.columns.size());
  const std::string& column = wanted.text;
  if (!wanted.is_number && header.has_header && std::ranges::find(header.columns, column) != header.columns.end())
    return position_of_name(path, header, column);
  if (wanted.is_position() && std::stoi(column) < columns) return std::stoi(column);
  if (wanted.is_position() || wanted.is_number)
    fail(ErrorKind::input, path,
         "line 1: no column at position " + column + ": the file has " + std::to_string(columns) +
             ", counted from 0: " + listed_names(header.columns));
  if (!header.has_header)
    fail(ErrorKind::input, path,
         "line 1: no header, so no column '" + column + "'; choose by position: --set " + key + "=0");
  return position_of_name(path, header, column);
}

// Returns the position of the only column, else of the first that is not named like a time.
int first_column(const std::string& path, const CsvHeader& header) {
  const auto columns = static_cast<int>(header.columns.size());
  if (columns == 1) return 0;
  if (!header.has_header && columns == 2 && header.time_column >= 0) return 1 - header.time_column;
  if (!header.has_header)
    fail(ErrorKind::input, path,
         "line 1: " + std::to_string(columns) + " columns and no header; choose one: --set ingest.column=0");
  for (int i = 0; i < columns; ++i)
    if (i != header.time_column && !named_like_a_time(header.columns[i])) return i;
  return 0;
}

// Returns the columns that are ECG by name.
std::vector<int> ecg_columns(const CsvHeader& header) {
  std::vector<int> found;
  for (int i = 0; header.has_header && i < std::ssize(header.columns); ++i)
    if (i != header.time_column && !tells_time(header.columns[i]) && is_ecg_by_name(header.columns[i]))
      found.push_back(i);
  return found;
}

// Returns the positions of the columns that are read (see read_csv_header).
std::vector<int> chosen_columns(const std::string& path, const CsvHeader& header, const CsvOptions& options) {
  if (!options.column.empty()) return {column_asked_for(path, header, options.column, "ingest.column")};
  std::vector<int> chosen;
  for (const auto& wanted : options.leads) {
    chosen.push_back(column_asked_for(path, header, wanted, "ingest.leads"));
    if (std::ranges::count(chosen, chosen.back()) > 1)
      fail(ErrorKind::input, path,
           "line 1: column '" + header.columns[chosen.back()] + "' is asked for twice (ingest.leads)");
  }
  if (chosen.empty() && !options.first_alone) chosen = ecg_columns(header);
  if (chosen.empty()) chosen = {first_column(path, header)};
  if (options.first_alone) chosen.resize(1);
  if (std::ssize(chosen) > kMostColumns)
    fail(ErrorKind::input, path,
         "line 1: " + std::to_string(chosen.size()) + " columns are named like an ECG; choose at most " +
             std::to_string(kMostColumns) + ": --set ingest.leads=NAME,NAME");
  return chosen;
}

bool is_lead(const CsvHeader& header, int column) {
  return std::ranges::find(header.leads, column) != header.leads.end();
}

// Returns the first column that is named like a time and is not read; -1 where there is none.
int found_time_column(const CsvHeader& header) {
  for (int i = 0; header.has_header && i < std::ssize(header.columns); ++i)
    if (!is_lead(header, i) && tells_time(header.columns[i])) return i;
  return -1;
}

// Tells whether the first line is a header: whether the cell that would be read is no value. With a column given by
// position this is that cell. Else the line is data if any cell is a number, as a time may be text, or if all are
// missing values.
bool is_header(const std::vector<std::string>& cells, const WantedLead& column) {
  if (column.is_position() && std::stoul(column.text) < cells.size()) return !is_value(cells[std::stoul(column.text)]);
  return std::ranges::none_of(cells, [](const auto& cell) { return kind_of(cell) == CellKind::number; }) &&
         !std::ranges::all_of(cells, is_value);
}

}  // namespace

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
  std::vector<char> memory = first_bytes(file, kUsualHeaderBytes);
  if (std::ranges::find(memory, '\n') == memory.end()) memory = first_bytes(file, kMaxHeaderBytes);
  std::string_view head(memory.data(), memory.size());
  if (head.empty()) fail(ErrorKind::input, path, "is empty; a CSV file with a column of samples is needed");
  reject_foreign_formats(path, head.substr(0, 4096));

  CsvHeader header;
  if (head.starts_with("\xef\xbb\xbf")) header.data_offset = 3;  // byte order mark
  head.remove_prefix(static_cast<std::size_t>(header.data_offset));
  const auto line_end = head.find('\n');
  const std::string_view line = head.substr(0, line_end);
  check_first_line(path, line, header.data_offset);
  if (line_end == head.npos && head.size() + 3 >= kMaxHeaderBytes)
    fail(ErrorKind::input, path,
         "line 1: longer than " + std::to_string(kMaxHeaderBytes) + " bytes; is this a CSV file?");
  header.layout.delimiter = options.delimiter.empty() ? find_delimiter(line) : options.delimiter[0];
  header.columns = split(line, header.layout.delimiter);
  header.layout.columns = static_cast<int>(header.columns.size());
  header.has_header =
      is_header(header.columns, options.column.empty() && !options.leads.empty() ? options.leads[0] : options.column);
  if (header.has_header) {
    header.data_offset += static_cast<std::int64_t>(line_end == head.npos ? line.size() : line_end + 1);
    header.first_line = 2;
  } else {
    for (std::size_t i = 0; i < header.columns.size(); ++i) header.columns[i] = std::to_string(i);
  }
  if (!options.time_column.empty() && options.time_column != "-")
    header.time_column = column_asked_for(path, header, options.time_column, "ingest.time_column");
  header.leads = chosen_columns(path, header, options);
  header.layout.column = header.leads.front();
  if (is_lead(header, header.time_column))
    fail(ErrorKind::input, path,
         "line 1: column '" + header.columns[header.time_column] + "' cannot be both the signal and the time");
  if (options.time_column.empty()) header.time_column = found_time_column(header);
  return header;
}

}  // namespace beatscan
