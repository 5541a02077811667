// stages/io/recording/start_time.h — the local time at which a recording starts, if its file specifies it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace beatscan {

// The time is the one that the file writes, in the zone that it is written in.
struct StartTime {
  double second_of_day = 0;                              // [0, 86400) of the first sample
  std::optional<std::chrono::year_month_day> date = {};  // nothing if the file specifies none
  std::optional<int> ahead_of_utc_s = {};                // nothing if the file specifies no zone
  friend bool operator==(const StartTime&, const StartTime&) = default;
};

// The numbers of a header, as they are written there.
struct WrittenStart {
  int hour = 0, minute = 0;
  double second = 0;
  int day = 0, month = 0, year = 0;  // no date if they are none
};

// Returns the start that a header specifies. It is nothing in two cases:
//   - there is no such time of day
//   - it is midnight sharp without a date or on the first of January: headers have that if the start is not known
std::optional<StartTime> start_time(const WrittenStart& written);

// Returns the start by the seconds since 1970, in UTC, of the first sample. `ahead_of_utc_s` is the zone that the time
// was written in; without one the time is taken as written. Midnight sharp on the first of January is no start, as
// above.
std::optional<StartTime> start_time(double utc_s, std::optional<int> ahead_of_utc_s);

// Returns the time of day `elapsed_s` after the start as HH:MM:SS, with three decimals where they are requested. It
// continues at 00:00:00 after midnight.
std::string time_of_day(const StartTime& start, double elapsed_s, bool milliseconds = true);

// Returns YYYY-MM-DD; empty without a date.
std::string date_text(const StartTime& start);

// Returns Z, +01:00 or -03:30; empty without a zone.
std::string zone_text(const StartTime& start);

}  // namespace beatscan
