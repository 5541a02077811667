// app/evaluation/quotient.h — a quotient, undefined for a divisor of 0.
#pragma once

#include <optional>

namespace beatscan {

// Returns part / whole; nullopt if whole is 0.
template <class Number>
std::optional<double> quotient(Number part, Number whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace beatscan
