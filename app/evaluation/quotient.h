// app/evaluation/quotient.h — a share that does not exist where there is nothing to share.
#pragma once

#include <optional>

namespace beatscan {

// Returns part / whole; nothing if whole is 0.
template <class Number>
std::optional<double> quotient(Number part, Number whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace beatscan
