#include "stages/io/recording/start_time.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace beatscan {
namespace {

constexpr int kDaySeconds = 86400;

std::optional<StartTime> unless_unknown(const StartTime& start) {
  const auto& date = start.date;
  const bool first_of_january = date && date->month() == std::chrono::January && date->day() == std::chrono::day(1);
  if (start.second_of_day == 0 && (!date || first_of_january)) return std::nullopt;
  return start;
}

}  // namespace

std::optional<StartTime> start_time(const WrittenStart& written) {
  const auto& [hour, minute, second, day, month, year] = written;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(second >= 0 && second < 60)) return std::nullopt;
  StartTime start{.second_of_day = 3600.0 * hour + 60 * minute + second};
  if (day > 0 && day <= 31 && month > 0 && month <= 12 && year > 0 && year <= 9999)  // month and day hold a byte
    if (const std::chrono::year_month_day date{std::chrono::year(year),
                                               std::chrono::month(static_cast<unsigned>(month)),
                                               std::chrono::day(static_cast<unsigned>(day))};
        date.ok())
      start.date = date;
  return unless_unknown(start);
}

std::optional<StartTime> start_time(double utc_s, std::optional<int> ahead_of_utc_s) {
  constexpr double kFirst_s = -62'135'596'800.0, kLast_s = 253'402'300'799.0;  // of the years 1 to 9999
  // A double holds times since 1970 to a quarter of a microsecond. Rounding takes away what is below a microsecond.
  const auto to_microseconds = [](double seconds) { return std::round(seconds * 1e6) / 1e6; };
  const double written_s = to_microseconds(utc_s + ahead_of_utc_s.value_or(0));
  if (!(written_s >= kFirst_s && written_s <= kLast_s)) return std::nullopt;
  const double days = std::floor(written_s / kDaySeconds);
  const std::chrono::sys_days date{std::chrono::days(static_cast<int>(days))};
  const double second_of_day = to_microseconds(written_s - days * kDaySeconds);
  return unless_unknown({second_of_day, std::chrono::year_month_day(date), ahead_of_utc_s});
}

std::string time_of_day(const StartTime& start, double elapsed_s, bool milliseconds) {
  constexpr std::int64_t kDayMilliseconds = std::int64_t{1000} * kDaySeconds;
  const double exact = std::fmod(start.second_of_day + elapsed_s, kDaySeconds) * 1000;
  std::int64_t ms = (std::llround(exact) % kDayMilliseconds + kDayMilliseconds) % kDayMilliseconds;
  if (!milliseconds) ms = (ms + 500) / 1000 * 1000 % kDayMilliseconds;
  std::string text = "00:00:00.000";  // a table has 100,000 of these: digits are put in place
  const auto put = [&](std::size_t last_digit, int digits, std::int64_t value) {
    for (; digits > 0; --digits, value /= 10) text[last_digit--] = static_cast<char>('0' + value % 10);
  };
  put(1, 2, ms / 3'600'000);
  put(4, 2, ms / 60'000 % 60);
  put(7, 2, ms / 1000 % 60);
  put(11, 3, ms % 1000);
  if (!milliseconds) text.resize(8);
  return text;
}

std::string date_text(const StartTime& start) {
  if (!start.date) return "";
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(start.date->year()),
                static_cast<unsigned>(start.date->month()), static_cast<unsigned>(start.date->day()));
  return text;
}

std::string zone_text(const StartTime& start) {
  if (!start.ahead_of_utc_s) return "";
  const int minutes = std::abs(*start.ahead_of_utc_s) / 60;
  if (minutes == 0) return "Z";
  char text[40];
  std::snprintf(text, sizeof text, "%c%02d:%02d", *start.ahead_of_utc_s < 0 ? '-' : '+', minutes / 60, minutes % 60);
  return text;
}

}  // namespace beatscan
