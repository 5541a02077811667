// stages/io/csv/time_column.h — reads the times of a CSV file's rows along with its samples.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/io/csv/csv_header.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/csv/text_reader.h"
#include "stages/io/csv/time_axis.h"
#include "stages/io/csv/time_cell.h"

namespace beatscan {

struct SignalInfo;

// Collects the times chunk by chunk. Several threads of the host read them while the context parses the samples.
class TimeColumn {
 public:
  //   asked_for  whether the user named the column; one that was found by its name is ignored if it begins with no time
  //   on_bad     what becomes of bad rows; unless it is error, the times of rows with a bad sample may be anything
  TimeColumn(const InputFile& file, const CsvHeader& header, bool asked_for, OnBad on_bad);

  void add(const TextReader::Chunk& chunk);
  // Takes the times of all rows where they are no text; NaN is unknown.
  void take(std::vector<double> times, TimeKind kind);

  // Returns the rows, in no order, whose samples are good and whose time is not; none if OnBad::error.
  std::span<const std::int64_t> bad_rows() const { return bad_rows_; }

  // Removes the times of rows that are left out, and forgets those of rows with too few or too many cells, which may be
  // wrong. Called after the last chunk if there are bad rows. `faults` has one for each row.
  void pass_over_bad_rows(std::span<const RowFault> faults);

  // Returns whether these rows have even times of their own: few of the rows between them are missing samples.
  bool have_own_clock(std::span<const std::int64_t> rows) const;
  // Keeps the times of these rows alone.
  void keep(std::span<const std::int64_t> rows);

  // Called last. Puts into `signal` the rate, or why there is none, and warnings. Returns where samples are missing;
  // rows that are left out do not count. Throws ErrorKind::input naming the line in four cases:
  //   - a time is earlier than the one before
  //   - a cell is not a time, and the user asked for the column or on_bad is error and times come before it
  //   - so many samples would be missing that it cannot be a recording
  //   - the sampling rate changes in more than half of the recording
  std::vector<MissingRows> finish(SignalInfo& signal, std::optional<double> users_rate_hz);

 private:
  struct BadCell {
    std::int64_t row, byte;
    std::string text;
  };
  std::string_view cell_of(std::string_view row) const;
  bool is_passed_over(std::string_view row) const;
  TimeCell first_time(std::string_view text) const;
  void read_rows(std::string_view text, std::int64_t first_byte, std::int64_t row);
  std::vector<double> times_of(std::span<const std::int64_t> rows) const;
  std::string line(std::int64_t row) const;
  std::string place(std::int64_t row) const;  // "line 3", or "row 3" in a file without lines
  [[noreturn]] void fail_at(std::int64_t row, const std::string& what) const;
  double unit_s() const;
  std::string as_written(std::string_view cell) const;
  TimeAxis axis(SignalInfo& signal);
  void unroll_midnights();
  void tell_rate(const TimeAxis& axis, SignalInfo& signal) const;
  void tell_start(SignalInfo& signal) const;
  void tell_oddities(const TimeAxis& axis, SignalInfo& signal) const;
  void tell_uneven(const TimeAxis& axis, SignalInfo& signal) const;

  const std::string path_, name_;
  const std::int64_t first_line_;
  const CsvHeader header_;
  const CsvLayout layout_;                     // layout of the rows; the column to read is this one
  const std::optional<double> stated_unit_s_;  // by a row of units
  const bool asked_for_;
  const OnBad on_bad_;
  std::vector<double> times_;
  std::vector<std::int64_t> left_out_;  // rows that have no element of times_, ascending
  TimeKind kind_ = TimeKind::missing;   // what all cells with a time are
  std::optional<int> ahead_of_utc_s_;   // the zone that the first date is written in
  std::mutex mutex_;
  std::optional<BadCell> bad_;          // the first cell that is not a time like the others
  std::vector<std::int64_t> bad_rows_;  // unless OnBad::error: rows of such cells, in no order
};

}  // namespace beatscan
