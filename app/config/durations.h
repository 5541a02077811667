// app/config/durations.h — durations and times of day in options.
#pragma once

#include <optional>
#include <string_view>

namespace beatscan {

// Parses "300", "90s", "5min" or "1.5h" as seconds; nullopt if the text is none of these.
std::optional<double> duration_s(std::string_view text);

// The hours of sleep.
struct Sleep {
  double from_s = 0, to_s = 0;  // since midnight, or since the recording's start
  bool by_clock = true;         // it comes each day; `to_s` may be below `from_s`
};

// Parses "23:00-07:00" by the clock, or "14-22" as hours from the start; nullopt if the text is neither.
std::optional<Sleep> sleep_of(std::string_view text);

}  // namespace beatscan
