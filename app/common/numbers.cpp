#include "app/common/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "stages/common/counted.h"

namespace beatscan {
namespace {

template <class... Arguments>
std::string converted(Arguments... arguments) {
  char digits[400];
  return {digits, std::to_chars(digits, digits + sizeof digits, arguments...).ptr};
}

std::string two_digits(std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); }

}  // namespace

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "–";
  std::string text = converted(value, std::chars_format::fixed, decimals);
  // Avoids "-0.0".
  if (text[0] == '-' && text.find_first_not_of("-0.") == text.npos) text.erase(0, 1);
  return text;
}

std::string significant(double value, int digits) {
  return std::isfinite(value) ? converted(value, std::chars_format::general, digits) : "–";
}

std::string exact(double value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  for (std::ptrdiff_t i = std::ssize(text) - 3; i > (value < 0); i -= 3) text.insert(i, ",");
  return text;
}

std::string grouped(std::int64_t count, std::string_view one, std::string_view many) {
  return grouped(count) + " " + by_count(count, one, many);
}

std::string percent(double share) {
  const double value = 100 * share;
  if (!std::isfinite(value)) return "–";
  if (value == 0 || value >= 100 || value < 0) return signed_text(fixed(value, 0)) + " %";
  // Shares near 0 % and near 100 % get enough decimals to differ from 0 % and 100 %.
  const double apart = std::min(value, 100 - value);
  const int decimals = apart >= 0.95 ? 1 : apart >= 0.095 ? 2 : apart >= 0.0095 ? 3 : 4;
  return fixed(value, decimals) + " %";
}

std::string clock_time(double seconds, int decimals) {
  const double unit = std::pow(10.0, decimals);
  const auto ticks = std::llround(std::abs(seconds) * unit);
  const auto whole = static_cast<std::int64_t>(static_cast<double>(ticks) / unit);
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  std::string text = seconds < 0 && ticks > 0 ? "−" : "";
  text += hours > 0 ? std::to_string(hours) + ":" + two_digits(minutes) : std::to_string(minutes);
  text += ":" + two_digits(whole % 60);
  if (decimals == 0) return text;
  std::string part = std::to_string(ticks - whole * static_cast<std::int64_t>(unit));
  return text + "." + std::string(decimals - part.size(), '0') + part;
}

std::string hours_minutes(double seconds) {
  const auto minutes = std::llround(seconds / 60);
  return std::to_string(minutes / 60) + ":" + two_digits(minutes % 60);
}

std::string signed_text(std::string number) { return number.starts_with('-') ? "−" + number.substr(1) : number; }

std::string duration(double seconds) {
  if (seconds < 60) return significant(seconds, 3) + " s";
  const auto whole = std::llround(seconds);
  if (whole < 3600)
    return std::to_string(whole / 60) + " min" + (whole % 60 ? " " + std::to_string(whole % 60) + " s" : "");
  const auto minutes = std::llround(seconds / 60);
  return grouped(minutes / 60) + " h" + (minutes % 60 ? " " + std::to_string(minutes % 60) + " min" : "");
}

std::string megabytes(double bytes) {
  return bytes < 1e6   ? significant(bytes * 1e-3, 3) + " kB"
         : bytes < 1e9 ? significant(bytes * 1e-6, 3) + " MB"
                       : significant(bytes * 1e-9, 3) + " GB";
}

std::string position_text(double position, bool rate_known, int decimals) {
  return rate_known ? clock_time(position, decimals) : "sample " + grouped(std::llround(position));
}

}  // namespace beatscan
