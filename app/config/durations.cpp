#include "app/config/durations.h"

#include <array>
#include <utility>

#include "app/common/small_csv.h"

namespace beatscan {

namespace {

// Parses "23:00" as seconds since midnight.
std::optional<double> clock_s(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == text.npos || text.size() != colon + 3) return std::nullopt;
  const auto hours = parse_int64(text.substr(0, colon)), minutes = parse_int64(text.substr(colon + 1));
  if (!hours || !minutes || *hours < 0 || *hours > 24 || *minutes < 0 || *minutes > 59) return std::nullopt;
  const auto seconds = static_cast<double>(3600 * *hours + 60 * *minutes);
  return seconds <= 86400 ? std::optional(seconds) : std::nullopt;
}

std::optional<double> hours_s(std::string_view text) {
  const auto hours = parse_double(text);
  return hours && *hours >= 0 ? std::optional(3600 * *hours) : std::nullopt;
}

}  // namespace

std::optional<double> duration_s(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits = {{{"min", 60}, {"s", 1}, {"h", 3600}}};
  double factor = 1;
  for (const auto& [unit, seconds] : kUnits)
    if (text.ends_with(unit)) {
      text.remove_suffix(unit.size());
      factor = seconds;
      break;
    }
  const auto number = parse_double(text);
  return number && *number >= 0 ? std::optional(*number * factor) : std::nullopt;
}

std::optional<Sleep> sleep_of(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  const auto from = text.substr(0, dash), to = text.substr(dash + 1);
  const bool by_clock = text.find(':') != text.npos;
  const auto from_s = by_clock ? clock_s(from) : hours_s(from), to_s = by_clock ? clock_s(to) : hours_s(to);
  if (!from_s || !to_s || *from_s == *to_s || (!by_clock && *to_s < *from_s)) return std::nullopt;
  return Sleep{*from_s, *to_s, by_clock};
}

}  // namespace beatscan
