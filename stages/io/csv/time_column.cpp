#include "stages/io/csv/time_column.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/number_text.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/csv/time_name.h"
#include "stages/io/recording/recording.h"
#include "stages/io/recording/signal_info.h"

namespace beatscan {
namespace {

constexpr std::int64_t kPartBytes = 64 << 10;  // text of a chunk that is worth a thread
constexpr double kLowestPlausible_hz = 20, kHighestPlausible_hz = 100'000;
constexpr double kDay_s = 86400;
constexpr double kLowestUsual_hz = 60, kHighestUsual_hz = 8000;  // of recordings whose times have no unit

std::string shown_time(double value) { return number_text(value, 12); }

// Returns where the next row begins; a place after the text if there is none.
std::size_t next_row(std::string_view text, std::size_t from) {
  return std::min(text.find('\n', from), text.size()) + 1;
}

CsvLayout with_column(CsvLayout layout, int column) {
  layout.column = column;
  return layout;
}

}  // namespace

TimeColumn::TimeColumn(const InputFile& file, const CsvHeader& header, bool asked_for, OnBad on_bad)
    : path_(file.path().string()),
      name_(header.columns[header.time_column]),
      first_line_(header.first_line),
      header_(header),
      layout_(with_column(header.layout, header.time_column)),
      stated_unit_s_(stated_time_unit_s(header)),
      asked_for_(asked_for),
      on_bad_(on_bad) {}

// Returns the text of a cell as the file has it.
std::string TimeColumn::as_written(std::string_view cell) const {
  return header_.edits.decimal_commas ? with_points_and_commas_swapped(cell) : std::string(cell);
}

// Returns the cell of this column. Badly formed rows are not searched for here: the parser of samples finds them.
std::string_view TimeColumn::cell_of(std::string_view row) const {
  int cell = 0;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '"') quoted = !quoted;
    if (quoted || row[i] != layout_.delimiter) continue;
    if (cell++ == layout_.column) return row.substr(begin, i - begin);
    begin = i + 1;
  }
  return cell == layout_.column ? row.substr(begin) : std::string_view{};
}

bool TimeColumn::is_passed_over(std::string_view row) const {
  return on_bad_ != OnBad::error && first_fault(header_, row.begin(), row.end()).fault != RowFault::none;
}

TimeCell TimeColumn::first_time(std::string_view text) const {
  for (std::size_t begin = 0; begin <= text.size(); begin = next_row(text, begin)) {
    const std::string_view row = text.substr(begin, text.find('\n', begin) - begin);
    const TimeCell time = parse_time(cell_of(row));
    if (time.kind != TimeKind::missing && !is_passed_over(row)) return time;
  }
  return {TimeKind::missing, NAN};
}

void TimeColumn::read_rows(std::string_view text, std::int64_t first_byte, std::int64_t row) {
  for (std::size_t begin = 0; begin <= text.size(); ++row) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row_text = text.substr(begin, end - begin), cell = cell_of(row_text);
    const TimeCell time = parse_time(cell);
    times_[row] = time.value;
    begin = end + 1;
    if (time.kind == TimeKind::bad || (time.kind != kind_ && time.kind != TimeKind::missing)) {
      times_[row] = NAN;
      if (is_passed_over(row_text)) continue;
      const std::lock_guard lock(mutex_);
      if (on_bad_ != OnBad::error && kind_ != TimeKind::bad) {
        bad_rows_.push_back(row);
        continue;
      }
      if (!bad_ || row < bad_->row) bad_ = BadCell{row, first_byte + (cell.data() - text.data()), as_written(cell)};
      return;
    }
  }
}

void TimeColumn::add(const TextReader::Chunk& chunk) {
  if (bad_) return;  // the times will not be used
  const std::string_view text(chunk.text.data(), chunk.text.size());
  const auto first_row = std::ssize(times_);
  times_.resize(static_cast<std::size_t>(first_row + chunk.rows));
  if (kind_ == TimeKind::missing) {
    const TimeCell first = first_time(text);
    kind_ = first.kind;
    ahead_of_utc_s_ = first.ahead_of_utc_s;
  }
  const Cpu cpu;
  const std::int64_t parts = std::clamp<std::int64_t>(std::ssize(text) / kPartBytes, 1, 4 * cpu.threads());
  std::vector<std::size_t> begins;  // each part begins here, at the start of a row
  std::vector<std::int64_t> rows;   // number of each part's first row
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::size_t near = text.size() * static_cast<std::size_t>(part) / static_cast<std::size_t>(parts);
    begins.push_back(part == 0 ? 0 : std::max(begins.back(), next_row(text, near)));
    if (part == 0)
      rows.push_back(first_row);
    else if (begins.back() <= text.size())
      rows.push_back(rows.back() + count_line_ends(chunk.text.first(begins.back()).subspan(begins[part - 1])));
    else
      rows.push_back(0);  // the part is empty
  }
  begins.push_back(text.size() + 1);
  parallel_each(cpu, parts, [&](std::int64_t part) {
    if (const std::size_t begin = begins[part], end = begins[part + 1]; begin < end)
      read_rows(text.substr(begin, end - begin - 1), chunk.first_byte + static_cast<std::int64_t>(begin), rows[part]);
  });
}

void TimeColumn::take(std::vector<double> times, TimeKind kind) {
  times_ = std::move(times);
  kind_ = kind;
}

void TimeColumn::pass_over_bad_rows(std::span<const RowFault> faults) {
  if (bad_) return;  // the times will not be used
  std::size_t kept = 0;
  for (std::size_t row = 0; row < faults.size(); ++row) {
    const RowFault fault = faults[row];
    if (fault != RowFault::none && on_bad_ == OnBad::skip)
      left_out_.push_back(static_cast<std::int64_t>(row));
    else
      times_[kept++] = is_row_fault(fault) ? NAN : times_[row];
  }
  times_.resize(kept);
}

std::vector<double> TimeColumn::times_of(std::span<const std::int64_t> rows) const {
  std::vector<double> times;
  for (const std::int64_t row : rows) times.push_back(times_[static_cast<std::size_t>(row)]);
  return times;
}

bool TimeColumn::have_own_clock(std::span<const std::int64_t> rows) const {
  constexpr std::int64_t kMostMissing = 10;  // of so many rows that are left out one may be a missing sample
  if (bad_ || (kind_ != TimeKind::number && kind_ != TimeKind::date && kind_ != TimeKind::clock)) return false;
  auto times = times_of(rows);
  const TimeAxis axis = time_axis(times, unit_s());
  std::int64_t missing = 0;
  for (const auto& jump : axis.missing) missing += jump.samples;
  return axis.rate_hz > 0 && !axis.jitters && kMostMissing * missing <= std::ssize(times_) - std::ssize(rows);
}

void TimeColumn::keep(std::span<const std::int64_t> rows) {
  if (bad_) return;  // the times will not be used
  std::vector<std::int64_t> left_out;
  auto passed = left_out_.begin();
  std::int64_t original = 0, next = 0;
  for (std::int64_t row = 0; row < std::ssize(times_); ++row, ++original) {
    for (; passed != left_out_.end() && *passed == original; ++passed) left_out.push_back(original++);
    const bool is_kept = next < std::ssize(rows) && rows[next] == row;
    is_kept ? static_cast<void>(++next) : left_out.push_back(original);
  }
  times_ = times_of(rows);
  left_out_ = std::move(left_out);
}

std::string TimeColumn::line(std::int64_t row) const {
  for (const std::int64_t left_out : left_out_) {
    if (left_out > row) break;
    ++row;
  }
  return std::to_string(first_line_ + row);
}

std::string TimeColumn::place(std::int64_t row) const { return (header_.has_lines() ? "line " : "row ") + line(row); }

void TimeColumn::fail_at(std::int64_t row, const std::string& what) const {
  fail(ErrorKind::input, path_ + (header_.has_lines() ? ":" + line(row) : ": " + place(row)), what);
}

// Returns the unit of plain numbers in seconds: by a row of units, else by the column's name, else by their size.
// Numbers too large for seconds since 1970 are milliseconds, microseconds or nanoseconds of a computer's clock.
double TimeColumn::unit_s() const {
  if (kind_ != TimeKind::number) return 1;
  if (stated_unit_s_) return *stated_unit_s_;
  if (const double unit = time_unit_s(name_); unit != 1) return unit;
  const auto known = std::ranges::find_if(times_, [](double time) { return !std::isnan(time); });
  const double first = known == times_.end() ? 0 : *known;
  return first >= 1e17 ? 1e-9 : first >= 1e14 ? 1e-6 : first >= 1e11 ? 1e-3 : 1;
}

// Returns the rate and the missing rows. Numbers without a unit that rise too slowly for seconds are taken for
// milliseconds, microseconds or nanoseconds if that makes a typical rate; a warning says so. Steps of 1 are left alone:
// they may number the rows.
TimeAxis TimeColumn::axis(SignalInfo& signal) {
  const double unit = unit_s();
  TimeAxis axis = time_axis(times_, unit);
  const double hz = axis.rate_hz;
  if (kind_ != TimeKind::number || unit != 1 || stated_unit_s_ || !(hz > 0 && hz < kLowestPlausible_hz) || hz == 1)
    return axis;
  for (const auto& [finer_s, name] :
       {std::pair{1e-3, "milliseconds"}, std::pair{1e-6, "microseconds"}, std::pair{1e-9, "nanoseconds"}}) {
    if (!(hz / finer_s >= kLowestUsual_hz && hz / finer_s <= kHighestUsual_hz)) continue;
    axis = time_axis(times_, finer_s);
    signal.warnings.push_back("column '" + name_ + "' names no unit: its steps of " + shown_time(1 / hz) +
                              " are taken for " + name + ", which makes " + shown_time(axis.rate_hz) +
                              " Hz; --rate HZ sets another rate");
    break;
  }
  return axis;
}

void TimeColumn::unroll_midnights() {
  double days_s = 0, before = -1;
  for (double& time : times_) {
    if (std::isnan(time)) continue;
    if (time + days_s < before - kDay_s / 2) days_s += kDay_s;
    time += days_s;
    before = time;
  }
}

void TimeColumn::tell_rate(const TimeAxis& axis, SignalInfo& signal) const {
  const auto tell_none = [&](std::string why) {
    if (asked_for_) signal.warnings.push_back(why);  // no_rate_because is not shown if the user gives the rate
    signal.no_rate_because = std::move(why);
  };
  if (axis.rate_hz == 0) {
    tell_none("the times in column '" + name_ + "' do not rise as times do");
    return;
  }
  const double hz = axis.rate_hz;
  if (!(hz >= kLowestPlausible_hz && hz <= kHighestPlausible_hz)) {
    tell_none("column '" + name_ + "' rises by " + shown_time(1 / (hz * unit_s())) + " a row, which in " +
              (unit_s() == 1 ? "seconds" : "its unit") + " would be " + shown_time(hz) + " Hz" +
              (hz == 1 ? "; they may be row numbers" : ""));
    return;
  }
  signal.sample_rate_hz = hz;
  signal.rate_origin = RateOrigin::time_column;
}

// Determines the start by dates. Numbers and clock times may count from the start of the recording, or in another zone.
void TimeColumn::tell_start(SignalInfo& signal) const {
  if (kind_ != TimeKind::date) return;
  const auto known = std::ranges::find_if(times_, [](double time) { return !std::isnan(time); });
  if (known == times_.end()) return;
  const auto rows_before = static_cast<double>(known - times_.begin());
  signal.start = start_time(*known - rows_before / *signal.sample_rate_hz, ahead_of_utc_s_);
}

std::vector<MissingRows> TimeColumn::finish(SignalInfo& signal, std::optional<double> users_rate_hz) {
  if (bad_) {
    const std::string what = "'" + bad_->text.substr(0, 40) + "' is not a time";
    const std::string at = "byte " + std::to_string(bad_->byte) + ": " + what;
    if (kind_ != TimeKind::bad)
      fail_at(bad_->row, at + " like those before; --set ingest.on_bad=nan (or skip) goes on without it, " +
                             "--set ingest.time_column=- without times");
    if (asked_for_) fail_at(bad_->row, at + " like 12.345, 10:00:00.123 or 2026-11-21T10:00:00.123Z");
    signal.no_rate_because = "column '" + name_ + "' is not used: line " + line(bad_->row) + ": " + what;
    signal.warnings.push_back(signal.no_rate_because);
    return {};
  }
  if (kind_ == TimeKind::clock) unroll_midnights();
  const TimeAxis axis = this->axis(signal);
  if (axis.first_step_back != TimeAxis::kNone)
    fail_at(axis.first_step_back, "the time goes back, from " + shown_time(times_[axis.first_step_back - 1]) + " to " +
                                      shown_time(times_[axis.first_step_back]) + " (column '" + name_ +
                                      "'); sort the rows, or leave the times out: --set ingest.time_column=-");
  tell_rate(axis, signal);
  const bool is_clock = signal.rate_origin == RateOrigin::time_column &&
                        (!users_rate_hz || std::abs(*users_rate_hz / axis.rate_hz - 1) <= kSameRate);
  if (!is_clock) return {};  // then its jumps say nothing, and times of day would drift away from those of the file
  tell_start(signal);
  std::int64_t missing = 0;
  for (const auto& jump : axis.missing) {
    missing += std::min(jump.samples, most_missing(std::ssize(times_)) + 1);
    if (missing > most_missing(std::ssize(times_)))
      fail_at(jump.before_row, "the time jumps ahead by " +
                                   shown_time(times_[jump.before_row] - times_[jump.before_row - 1]) + " (column '" +
                                   name_ +
                                   "'), far longer than what is recorded; cut the file there, or leave the times out: "
                                   "--set ingest.time_column=-");
  }
  tell_oddities(axis, signal);
  tell_uneven(axis, signal);
  return axis.missing;
}

}  // namespace beatscan
