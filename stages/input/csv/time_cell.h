// stages/input/csv/time_cell.h — the text of one cell of a time column.
#pragma once

#include <string_view>

namespace beatscan {

enum class TimeKind {
  missing,  // nothing, NaN, NA or null
  number,   // 12.345, 1.7637e9: of what unit the column's name says
  date,     // 2026-11-21T10:00:00.123Z: seconds since 1970; a blank for T; seconds, fraction and zone may lack
  clock,    // 10:00:00.123 or 0:00.123: seconds since midnight, or of a recording
  bad
};

struct TimeCell {
  TimeKind kind;
  double value;  // NaN where it has none
};

// Blanks and a pair of quotes (double or single) or brackets around the text are passed over. A time without a zone is
// taken as UTC: steps are what counts.
TimeCell parse_time(std::string_view text);

}  // namespace beatscan
