// tests/support/decimal_oracle.h — the value of a CSV cell from the C library, as a reference for
// kernels/csv/decimal.h.
#pragma once

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "kernels/csv/decimal.h"

namespace beatscan {

inline std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Returns whether the cell has the form [+-] digits [. digits] [e [+-] digits].
inline bool is_decimal_number(std::string_view text) {
  const auto skip = [&](std::string_view set, std::size_t at_most) {
    std::size_t count = 0;
    for (; count < at_most && !text.empty() && set.find(text[0]) != set.npos; ++count) text.remove_prefix(1);
    return count;
  };
  constexpr std::string_view kDigits = "0123456789";
  skip("+-", 1);
  std::size_t digits = skip(kDigits, text.npos);
  if (skip(".", 1)) digits += skip(kDigits, text.npos);
  if (digits == 0) return false;
  if (skip("eE", 1)) {
    skip("+-", 1);
    if (skip(kDigits, text.npos) == 0) return false;
  }
  return text.empty();
}

// The value of the cell. strtof of glibc rounds every decimal correctly, and the tests run in the C locale.
inline Cell expected_cell(std::string_view text) {
  const float missing = std::numeric_limits<float>::quiet_NaN();
  text = without_blanks(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = without_blanks(text.substr(1, text.size() - 2));
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (lower.empty() || lower == "nan" || lower == "na" || lower == "null") return {CellKind::missing, missing};
  if (!is_decimal_number(lower)) return {CellKind::bad, missing};
  const float value = std::strtof(lower.c_str(), nullptr);
  return std::isinf(value) ? Cell{CellKind::out_of_range, missing} : Cell{CellKind::number, value};
}

}  // namespace beatscan
