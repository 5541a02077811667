#include "stages/io/csv/time_cell.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/csv/decimal.h"
#include "stages/common/from_chars.h"

namespace beatscan {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr TimeCell kBad{TimeKind::bad, kNone};

std::string_view without_frame(std::string_view text) {
  const auto trim = [&] {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  };
  trim();
  for (const auto& [open, close] : {std::pair{'"', '"'}, std::pair{'\'', '\''}, std::pair{'[', ']'}})
    if (text.size() >= 2 && text.front() == open && text.back() == close) {
      text = text.substr(1, text.size() - 2);
      trim();
    }
  return text;
}

// A text from whose front parts are taken.
class Parts {
 public:
  explicit Parts(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  char next() const { return text_.empty() ? '\0' : text_.front(); }
  bool take(char c) {
    if (next() != c || text_.empty()) return false;
    text_.remove_prefix(1);
    return true;
  }
  // Takes a whole number of `least` to `most` digits; returns -1 if there is none.
  int digits(int least, int most) {
    int value = 0, count = 0;
    while (count < most && decimal::is_digit(next())) {
      value = 10 * value + (next() - '0');
      text_.remove_prefix(1);
      ++count;
    }
    return count < least ? -1 : value;
  }
  // Takes a point or a comma and the digits after it; returns their fraction of 1, or 0 if there is no point.
  double fraction() {
    if (!take('.') && !take(',')) return 0;
    double value = 0, scale = 1;
    for (; decimal::is_digit(next()); text_.remove_prefix(1)) value += (next() - '0') * (scale /= 10);
    return value;
  }
  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

// Takes hh:mm[:ss[.fff]]; returns it in seconds, or NaN if there is no such time.
double take_time_of_day_s(Parts& parts) {
  const int hours = parts.digits(1, 2);
  if (!parts.take(':')) return kNone;
  const int minutes = parts.digits(2, 2);
  int seconds = 0;
  double fraction = 0;
  if (parts.take(':')) {
    seconds = parts.digits(2, 2);
    fraction = parts.fraction();
  }
  const bool next_day = hours == 24 && (minutes > 0 || seconds > 0 || fraction > 0);  // 24:00 is midnight
  if (hours < 0 || hours > 24 || next_day || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 60) return kNone;
  return hours * 3600 + minutes * 60 + seconds + fraction;
}

// Takes a zone: Z, +01:00, +0100 or +01. Returns the seconds that it is ahead of UTC: 0 without a zone, NaN for
// anything else.
double take_zone_s(Parts& parts) {
  parts.take(' ');
  if (parts.at_end() || parts.take('Z') || parts.take('z')) return 0;
  const bool behind = parts.take('-');
  if (!behind && !parts.take('+')) return kNone;
  const int hours = parts.digits(2, 2);
  parts.take(':');
  const int minutes = parts.at_end() ? 0 : parts.digits(2, 2);
  if (hours < 0 || minutes < 0) return kNone;
  return (behind ? -1 : 1) * (hours * 3600 + minutes * 60);
}

// Takes a date: 2026-11-21, 2026/11/21, or 21.11.2026 with the day first. The points of the last one are commas in a
// file with decimal commas, whose points and commas were swapped.
std::chrono::year_month_day take_date(Parts& parts) {
  const Parts start = parts;
  int year = parts.digits(4, 4), month = -1, day = -1;
  if (const char separator = parts.next(); year >= 0 && (separator == '-' || separator == '/')) {
    parts.take(separator);
    month = parts.digits(2, 2);
    if (parts.take(separator)) day = parts.digits(2, 2);
  } else {
    parts = start;
    day = parts.digits(1, 2);
    const char point = parts.next() == ',' ? ',' : '.';
    if (parts.take(point)) month = parts.digits(1, 2);
    if (parts.take(point)) year = parts.digits(4, 4);
  }
  if (year < 0 || month < 0 || day < 0) return {};
  return {std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
          std::chrono::day(static_cast<unsigned>(day))};
}

TimeCell parse_date(std::string_view text) {
  Parts parts(text);
  const auto date = take_date(parts);
  if (!date.ok() || !(parts.take('T') || parts.take('t') || parts.take(' '))) return kBad;
  const double seconds = take_time_of_day_s(parts);
  const bool has_zone = !parts.at_end();
  const double ahead = take_zone_s(parts);
  if (std::isnan(seconds) || std::isnan(ahead) || !parts.at_end()) return kBad;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return {TimeKind::date, 86400.0 * static_cast<double>(days) + (seconds - ahead),
          has_zone ? std::optional(static_cast<int>(ahead)) : std::nullopt};
}

// Reads a clock time before a date with the day first, as WFDB writes it in brackets: [10:00:00.000 31/10/2021].
TimeCell parse_clock_before_date(std::string_view text) {
  Parts parts(text);
  const double seconds = take_time_of_day_s(parts);
  if (!parts.take(' ')) return kBad;
  const int day = parts.digits(1, 2), month = parts.take('/') ? parts.digits(1, 2) : -1;
  const int year = parts.take('/') ? parts.digits(4, 4) : -1;
  if (std::isnan(seconds) || day < 0 || month < 0 || year < 0 || !parts.at_end()) return kBad;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return kBad;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return {TimeKind::date, 86400.0 * static_cast<double>(days) + seconds};
}

// Returns the text behind a date with slashes, such as 01/05/2026, of which day and month may be either; nothing if
// there is none.
std::optional<std::string_view> behind_unclear_date(std::string_view text) {
  Parts parts(text);
  const int first = parts.digits(1, 2), second = parts.take('/') ? parts.digits(1, 2) : -1;
  const int year = parts.take('/') ? parts.digits(4, 4) : -1;
  const bool is_date = first >= 1 && first <= 31 && second >= 1 && second <= 31 && year >= 0;
  if (!is_date || !(parts.take(' ') || parts.take('T'))) return std::nullopt;
  return parts.rest();
}

// Takes "2 days " in front of a time, as pandas writes a difference of times; returns 0 if there is none.
double take_days_s(std::string_view& text) {
  std::string_view rest = text;
  while (!rest.empty() && decimal::is_digit(rest.front())) rest.remove_prefix(1);
  const std::string_view digits = text.substr(0, text.size() - rest.size());
  if (digits.empty() || digits.size() > 6 || !rest.starts_with(" days ")) return 0;
  int days = 0;
  from_chars(digits.data(), digits.data() + digits.size(), days);
  text = rest.substr(6);
  return 86400.0 * days;
}

// Reads [days][hours:]minutes:seconds[.fff].
TimeCell parse_clock(std::string_view text) {
  const double days_s = take_days_s(text);
  Parts parts(text);
  int first = parts.digits(1, 4);
  if (first < 0 || !parts.take(':')) return kBad;
  int second = parts.digits(2, 2), hours = 0;
  if (parts.take(':')) {
    hours = std::exchange(first, second);
    second = parts.digits(2, 2);
    if (first > 59) return kBad;
  }
  const double fraction = parts.fraction();
  if (first < 0 || second < 0 || second > 60 || !parts.at_end()) return kBad;
  return {TimeKind::clock, days_s + 3600.0 * hours + 60 * first + (second + fraction)};
}

}  // namespace

TimeCell parse_time(std::string_view as_given) {
  std::string_view text = without_frame(as_given);
  std::string_view number = text;
  if (number.starts_with('+')) number.remove_prefix(1);
  double value = 0;
  const auto [end, error] = from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc() && end == number.data() + number.size() && std::isfinite(value))
    return {TimeKind::number, value};
  if (parse_cell(text.data(), text.data() + text.size()).kind == CellKind::missing) return {TimeKind::missing, kNone};
  if (as_given.find('[') != as_given.npos)
    if (const TimeCell time = parse_clock_before_date(text); time.kind == TimeKind::date) return time;
  const TimeCell as_date = parse_date(text);
  return as_date.kind == TimeKind::date ? as_date : parse_clock(behind_unclear_date(text).value_or(text));
}

}  // namespace beatscan
