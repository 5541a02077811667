// stages/time_column.h — the times of a CSV file's rows, read beside its samples.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/csv_header.h"
#include "stages/recording.h"
#include "stages/text_reader.h"
#include "stages/time_axis.h"
#include "stages/time_cell.h"

namespace beatscan {

// Read on the host, by several threads, while the context parses the samples of the same chunk.
class TimeColumn {
 public:
  // asked_for  by the user; a column that was found by its name and has no times is left alone
  TimeColumn(const InputFile& file, const CsvHeader& header, bool asked_for);

  void add(const TextReader::Chunk& chunk);

  // After the last chunk: puts the rate, or why there is none, and warnings into `signal`; returns where samples are
  // missing. Throws Status::input naming the line where a time is earlier than the one before, where one asked for is
  // no time, and where so much would be missing that no recording is like that.
  std::vector<MissingRows> finish(SignalInfo& signal, std::optional<double> users_rate_hz);

 private:
  struct BadCell {
    std::int64_t row, byte;
    std::string text;
  };
  std::string_view cell_of(std::string_view row) const;
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
  const CsvLayout layout_;  // of the rows, with this column to be read
  const bool asked_for_;
  std::vector<double> times_;
  TimeKind kind_ = TimeKind::missing;  // of all cells that have a time
  std::mutex mutex_;
  std::optional<BadCell> bad_;  // the first
};

}  // namespace beatscan
