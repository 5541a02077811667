#include "app/evaluation/truth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "kernels/csv/decimal.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/letters.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/time_cell.h"
#include "stages/io/csv/time_name.h"

namespace beatscan {

// Reads reference beats from a table of text.
//
// The first line names the columns. A column `sample` counts from 0; without it, samples are computed from a column of
// times and the sampling rate: `time`, `time_s`, `Time [ms]`, or clock times. Symbols are in a column `symbol`, or else
// `label`, `annotation` or `type`. If symbols are optional, a column `class` takes precedence over the last three, and
// these are used only if their first non-empty cell is a symbol. The delimiter is a comma, a semicolon, a tab, a bar,
// or any number of blanks.

namespace {

struct TruthRow {
  std::int64_t sample;
  std::string_view symbol, beat_class;  // empty if the table has none
  double time_s;                        // NaN if unknown
  std::int64_t line;                    // the file's first line is 1
};

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

// Calls on_row for each row. Times become samples at the rate of `clock`; without a rate they are only checked, and
// `sample` is the second. Throws ErrorKind::input with the line if there is no column of samples or times, or of
// symbols if these are required; if a row has more or fewer cells than the first line; or if a sample is not a
// non-negative integer.
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

constexpr std::string_view kBeatSymbols = "NLRBejAaJSVEF/fQnr?";

ReferenceBeat beat_of(const std::filesystem::path& path, const TruthRow& row, std::string_view symbol) {
  if (symbol.size() != 1 || !class_of(symbol[0]))
    fail_at_line(
        path, row.line,
        quoted(symbol) + " is not a beat symbol; use one of " + std::string(kBeatSymbols) + " or remove the line");
  return {row.sample, symbol[0]};
}

std::vector<ReferenceBeat> read_table(const std::filesystem::path& path, const SignalClock& clock) {
  std::vector<ReferenceBeat> beats;
  for_each_truth_row(path, clock, true, [&](const TruthRow& row) { beats.push_back(beat_of(path, row, row.symbol)); });
  return beats;
}

// Derives a sampling rate from the first and the last row that have both sample and time.
class StatedRate {
 public:
  void add(const TruthRow& row) {
    if (!std::isfinite(row.time_s)) return;
    const Place place{static_cast<double>(row.sample), row.time_s};
    if (!first_) first_ = place;
    last_ = place;
  }
  // Returns nullopt if the rate is implausible: times without a unit may be milliseconds, or rows out of order.
  std::optional<double> hz() const {
    constexpr double kLowest_hz = 20, kHighest_hz = 100'000;
    if (!first_) return std::nullopt;
    const double hz = (last_.sample - first_->sample) / (last_.time_s - first_->time_s);
    return hz >= kLowest_hz && hz <= kHighest_hz ? std::optional(hz) : std::nullopt;
  }

 private:
  struct Place {
    double sample = 0, time_s = 0;
  };
  std::optional<Place> first_;
  Place last_;
};

std::int64_t count_out_of_order(std::span<const ReferenceBeat> beats) {
  std::int64_t latest = 0, count = 0;
  for (const ReferenceBeat& beat : beats) {
    count += beat.sample < latest;
    latest = std::max(latest, beat.sample);
  }
  return count;
}

// Reads beats whose symbols may be missing.
ListedBeats read_table_of_beats(const std::filesystem::path& path, const SignalClock& clock) {
  ListedBeats listed;
  StatedRate stated;
  for_each_truth_row(path, clock, false, [&](const TruthRow& row) {
    stated.add(row);
    const std::string_view symbol = row.symbol.empty() ? row.beat_class : row.symbol;
    listed.beats.push_back(beat_of(path, row, symbol.empty() ? "N" : symbol));
    listed.without_symbol += symbol.empty();
  });
  listed.out_of_order = count_out_of_order(listed.beats);
  listed.rate_hz = stated.hz();
  return listed;
}

std::vector<ReferenceBeat> read_annotated_beats(const std::filesystem::path& path, const SignalClock& clock) {
  std::vector<ReferenceBeat> beats;
  for (const auto& annotation : read_annotations(path, clock))
    if (class_of(annotation.symbol)) beats.push_back({annotation.sample, annotation.symbol});
  return beats;
}

// Refuses what cannot be read twice. The truth is read before a run, and again after the training, when the clock of
// the recording is known.
void check_readable_twice(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_other(std::filesystem::status(path, unknown)))
    fail(ErrorKind::input, path.string(), "is a device or a pipe; give a file");
}

}  // namespace

bool is_csv(const std::filesystem::path& path) {
  const std::string extension = in_small_letters(path.extension().string());
  return extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

std::optional<BeatClass> class_of(char symbol) {
  const auto is_one_of = [symbol](std::string_view symbols) { return symbols.find(symbol) != symbols.npos; };
  if (!is_one_of(kBeatSymbols)) return std::nullopt;
  if (is_one_of("NLRej")) return BeatClass::normal;
  if (is_one_of("AaJS")) return BeatClass::supraventricular;
  if (is_one_of("VE")) return BeatClass::ventricular;
  if (is_one_of("F")) return BeatClass::fusion;
  return BeatClass::unknown;
}

std::int64_t beats_out_of_order(const std::filesystem::path& path) {
  return count_out_of_order(is_csv(path) ? read_table(path, {}) : read_annotated_beats(path, {}));
}

std::vector<ReferenceBeat> read_truth(const std::filesystem::path& path, const SignalClock& clock) {
  check_readable_twice(path);
  auto beats = is_csv(path) ? read_table(path, clock) : read_annotated_beats(path, clock);
  std::stable_sort(beats.begin(), beats.end(), [](const auto& a, const auto& b) { return a.sample < b.sample; });
  return beats;
}

ListedBeats read_beats(const std::filesystem::path& path, const SignalClock& clock) {
  check_readable_twice(path);
  ListedBeats listed;
  if (is_csv(path)) {
    listed = read_table_of_beats(path, clock);
  } else {
    listed.beats = read_annotated_beats(path, clock);
    listed.out_of_order = count_out_of_order(listed.beats);
  }
  std::ranges::stable_sort(listed.beats, {}, &ReferenceBeat::sample);
  return listed;
}

std::vector<std::string> warnings_of(std::span<const ReferenceBeat> truth, std::int64_t samples,
                                     const std::filesystem::path& path) {
  const auto beyond = std::ranges::count_if(truth, [&](const auto& beat) { return beat.sample >= samples; });
  if (truth.empty()) return {path.string() + " has no beats"};
  if (beyond == 0) return {};
  return {path.string() + ": " + std::to_string(beyond) + " of " + counted(std::ssize(truth), "beat") +
          by_count(beyond, " lies", " lie") + " beyond the end of the recording"};
}

TruthFolder::TruthFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error))
    names_.insert(entry->path().filename().string());
  if (error)
    fail(ErrorKind::input, folder_.string(), "cannot be listed (" + error.message() + "); check its permissions");
}

std::optional<std::filesystem::path> TruthFolder::truth_of(const std::string& name,
                                                           const std::filesystem::path& recording) const {
  for (const char* ending : {".atr", ".truth.csv", ".csv"}) {
    const std::filesystem::path path = folder_ / (name + ending);
    std::error_code unknown;
    if (names_.contains(name + ending) && (recording.empty() || !std::filesystem::equivalent(path, recording, unknown)))
      return path;
  }
  return std::nullopt;
}

}  // namespace beatscan
