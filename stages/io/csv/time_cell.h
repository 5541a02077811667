// stages/io/csv/time_cell.h — reads the text of one cell of a time column.
#pragma once

#include <optional>
#include <string_view>

namespace beatscan {

enum class TimeKind {
  missing,  // an empty cell, NaN, NA or null
  number,   // 12.345 or 1.7637e9, in a unit that the column's name may specify
  date,     // 2026-11-21T10:00:00.123Z, in seconds since 1970; see parse_time
  clock,    // 10:00:00.123, 0:00.123 or 0 days 10:00:00.123, in seconds since midnight or since the recording's start
  bad
};

struct TimeCell {
  TimeKind kind;
  double value;                            // NaN for missing and bad cells
  std::optional<int> ahead_of_utc_s = {};  // the zone that a date is written in; nothing without one
};

// Reads one time. Blanks, quotes and brackets around the text are skipped. A date may have a blank for T, and may
// lack seconds, fraction and zone. In brackets it may stand after the time, with the day first. Of 01/05/2026 day and
// month are unclear: it is passed over, and the time behind it is a clock time. A time without a zone is taken as UTC,
// as only the steps between times matter.
TimeCell parse_time(std::string_view text);

}  // namespace beatscan
