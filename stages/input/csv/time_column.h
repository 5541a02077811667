// stages/input/csv/time_column.h — the times of a CSV file's rows, read beside its samples.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/input/csv/csv_header.h"
#include "stages/input/csv/text_reader.h"
#include "stages/input/csv/time_axis.h"
#include "stages/input/csv/time_cell.h"
#include "stages/recording/recording.h"

namespace beatscan {

// Read on the host, by several threads, while the context parses the samples of the same chunk.
class TimeColumn {
 public:
  // asked_for  by the user; a column that was found by its name and has no times is left alone
  // on_bad     what becomes of rows whose sample is bad: but for error, their times may be anything
  TimeColumn(const InputFile& file, const CsvHeader& header, bool asked_for, OnBad on_bad);

  void add(const TextReader::Chunk& chunk);

  // After the last chunk, where there are bad rows; values are those of all rows, by parse_column. Rows that are left
  // out have no time. A row without its cells may have a wrong one, which is forgotten.
  void pass_over_bad_rows(std::span<const float> values);

  // At the end: puts the rate, or why there is none, and warnings into `signal`; returns where samples are
  // missing (rows left out do not count). Throws ErrorKind::input naming the line where a time is earlier than the one
  // before, where one asked for is no time, and where so much would be missing that no recording is like that.
  std::vector<MissingRows> finish(SignalInfo& signal, std::optional<double> users_rate_hz);

 private:
  struct BadCell {
    std::int64_t row, byte;
    std::string text;
  };
  std::string_view cell_of(std::string_view row) const;
  bool is_passed_over(std::string_view row) const;
  TimeKind first_kind(std::string_view text) const;
  void read_rows(std::string_view text, std::int64_t first_byte, std::int64_t row);
  std::string line(std::int64_t row) const;
  [[noreturn]] void fail_at(std::int64_t row, const std::string& what) const;
  double unit_s() const;
  void unroll_midnights();
  void tell_rate(const TimeAxis& axis, SignalInfo& signal) const;
  void tell_oddities(const TimeAxis& axis, SignalInfo& signal) const;

  const std::string path_, name_;
  const std::int64_t first_line_;
  const CsvLayout layout_, signal_layout_;  // of the rows, with this column or the signal's to be read
  const bool asked_for_;
  const OnBad on_bad_;
  std::vector<double> times_;
  std::vector<std::int64_t> left_out_;  // rows that have no element of times_, ascending
  TimeKind kind_ = TimeKind::missing;   // of all cells that have a time
  std::mutex mutex_;
  std::optional<BadCell> bad_;  // the first
};

}  // namespace beatscan
