#include "app/evaluation/truth_table.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "app/evaluation/truth.h"
#include "kernels/csv/decimal.h"
#include "stages/common/counted.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/time_cell.h"
#include "stages/io/csv/time_name.h"

namespace beatscan {
namespace {

constexpr double kMostSamples = 9e15;  // integers up to here are exact in double
constexpr int kNoColumn = -1;

// The columns of a truth.
struct TruthColumns {
  char delimiter = ',';
  int count = 0, sample = kNoColumn, time = kNoColumn, symbol = kNoColumn, beat_class = kNoColumn;
  double time_unit_s = 1;
};

// Splits a row like that of a recording. The delimiter ' ' stands for any run of blanks.
std::vector<std::string> cells_of_truth(std::string_view line, char delimiter) {
  if (delimiter != ' ') return cells_of(line, delimiter);
  std::vector<std::string> cells;
  for (std::size_t begin = 0; (begin = line.find_first_not_of(" \t", begin)) != line.npos;) {
    const auto end = std::min(line.find_first_of(" \t", begin), line.size());
    cells.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end;
  }
  return cells;
}

char delimiter_of_truth(std::string_view line) {
  const char found = find_delimiter(line);
  return found == ',' && line.find(',') == line.npos && line.find(' ') != line.npos ? ' ' : found;
}

// Returns the position of the first of the names that a column has, in upper or lower case.
int position_of_any(const std::vector<std::string>& header, std::initializer_list<std::string_view> names) {
  const auto same = [](char a, char b) { return decimal::lower(a) == b; };
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (std::ranges::equal(header[i], name, same)) return static_cast<int>(i);
  return kNoColumn;
}

bool has_intervals(const std::vector<std::string>& header) {
  return position_of_any(header, {"rr", "rri", "rr_s", "rr_ms", "ibi"}) != kNoColumn;
}

bool is_beat_symbol(std::string_view text) { return text.size() == 1 && class_of(text[0]); }

// Returns the position of a column that may hold symbols under another name.
//   rows  the lines below the header; if symbols are optional, the column is used only if its first non-empty cell is a
//         symbol
int position_of_labels(const std::vector<std::string>& header, std::string_view rows, char delimiter,
                       bool needs_symbols) {
  const int column = position_of_any(header, {"label", "annotation", "type"});
  if (needs_symbols || column == kNoColumn) return column;
  while (!rows.empty()) {
    const auto cells = cells_of_truth(take_line(rows), delimiter);
    if (column < std::ssize(cells) && !cells[static_cast<std::size_t>(column)].empty())
      return is_beat_symbol(cells[static_cast<std::size_t>(column)]) ? column : kNoColumn;
  }
  return kNoColumn;
}

//   line, rows  the first line, and those below it
TruthColumns columns_of(const std::filesystem::path& path, std::string_view line, std::string_view rows,
                        bool needs_symbols) {
  TruthColumns columns{.delimiter = delimiter_of_truth(line)};
  const auto header = cells_of_truth(line, columns.delimiter);
  columns.count = static_cast<int>(header.size());
  columns.sample = position_of_any(header, {"sample", "samples", "sample_index"});
  for (int i = 0; i < columns.count && columns.time == kNoColumn; ++i)
    if (const std::string& name = header[static_cast<std::size_t>(i)]; states_time(name)) {
      columns.time = i;
      columns.time_unit_s = time_unit_s(name);
    }
  columns.symbol = position_of_any(header, {"symbol"});
  columns.beat_class = position_of_any(header, {"beat_class"});
  if (columns.symbol == kNoColumn && (needs_symbols || columns.beat_class == kNoColumn))
    columns.symbol = position_of_labels(header, rows, columns.delimiter, needs_symbols);
  if (columns.sample == kNoColumn && columns.time == kNoColumn)
    fail_at_line(path, 1,
                 std::string("the header has no column 'sample' and none of times; add it to the first line") +
                     (has_intervals(header) ? ", as RR intervals alone are not read: their sums are times" : ""));
  if (columns.symbol == kNoColumn && needs_symbols)
    fail_at_line(path, 1, "the header has no column 'symbol'; add it to the first line");
  return columns;
}

// Returns a non-negative integer; "12.0" is one.
std::optional<std::int64_t> sample_number(std::string_view cell) {
  if (const auto whole = parse_int64(cell)) return *whole >= 0 ? whole : std::nullopt;
  const auto number = parse_double(cell);
  if (!number || !(*number >= 0 && *number <= kMostSamples) || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// Returns a time in seconds: a number in the column's unit, or a clock time since the start. NaN if it is neither.
double seconds_in(std::string_view cell, const TruthColumns& columns) {
  std::string text(cell);
  if (columns.delimiter != ',' && has_decimal_comma(text)) swap_points_and_commas(text);
  const TimeCell time = parse_time(text);
  if (time.kind != TimeKind::number && time.kind != TimeKind::clock) return NAN;
  return time.kind == TimeKind::number ? time.value * columns.time_unit_s : time.value;
}

std::optional<std::int64_t> sample_at_time(double time_s, const SignalClock& clock) {
  const double sample = std::round(time_s * clock.sample_rate_hz.value_or(1));
  return sample >= 0 && sample <= kMostSamples ? std::optional(static_cast<std::int64_t>(sample)) : std::nullopt;
}

}  // namespace

void for_each_truth_row(const std::filesystem::path& path, const SignalClock& clock, bool needs_symbols,
                        const std::function<void(const TruthRow&)>& on_row) {
  const std::string contents = read_whole_file(path);
  std::string_view rest = contents;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // the byte order mark that spreadsheets write
  while (rest.ends_with('\n') || rest.ends_with('\r')) rest.remove_suffix(1);
  if (rest.empty()) fail_at_line(path, 1, "the file is empty; the first line must be a header");
  const std::string_view header = take_line(rest);
  const TruthColumns columns = columns_of(path, header, rest, needs_symbols);
  for (std::int64_t line = 2; !rest.empty(); ++line) {
    const auto cells = cells_of_truth(take_line(rest), columns.delimiter);
    if (std::ssize(cells) != columns.count)
      fail_at_line(path, line,
                   "expected " + counted(columns.count, "cell") + " as in the header, found " +
                       std::to_string(cells.size()) + "; correct or remove the line");
    const auto cell = [&](int column) {
      return column == kNoColumn ? std::string_view() : std::string_view(cells[static_cast<std::size_t>(column)]);
    };
    const bool counts = columns.sample != kNoColumn;
    const double time_s = columns.time == kNoColumn ? NAN : seconds_in(cell(columns.time), columns);
    const auto sample = counts ? sample_number(cell(columns.sample)) : sample_at_time(time_s, clock);
    if (!sample)
      fail_at_line(path, line,
                   quoted(cell(counts ? columns.sample : columns.time)) +
                       (counts ? " is not a sample number; give a whole number from 0"
                               : " is not a time since the start; give seconds, as 12.345, or 0:12.345"));
    on_row({*sample, cell(columns.symbol), cell(columns.beat_class), time_s, line});
  }
}

}  // namespace beatscan
